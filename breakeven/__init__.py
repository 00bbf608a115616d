"""Speedup, efficiency and break-even points of AI training, from public MLPerf Training results."""
