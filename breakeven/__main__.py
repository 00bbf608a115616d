"""The `breakeven` command."""
