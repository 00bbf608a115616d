"""The words of the figures, in English and Spanish: one place, chosen by ``figures.language``."""

from __future__ import annotations

from collections.abc import Callable

# Each text by language; {names} are filled in. A test holds both languages to the same keys.
TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "accelerators": "Accelerators (N)",
        "minutes": "Minutes (official)",
        "speedup": "Speedup (reference time / time)",
        "efficiency": "Efficiency (speedup × N0 / N)",
        "accelerator_hours": "Accelerator-hours",
        "factor": "Factor of efficiency",
        "run_minutes": "Minutes of each run",
        "title_paper_speedup": "{model}: speedup in the paper's view",
        "title_paper_efficiency": "{model}: efficiency in the paper's view",
        "title_series_speedup": "{model}: speedup of scaling series",
        "title_series_efficiency": "{model}: efficiency of scaling series",
        "title_time": "{model}: time to train",
        "title_decomposition": "{model}: what ate the efficiency",
        "title_breakeven": "{model}: where adding accelerators stops paying",
        "title_pareto": "{model}: time against accelerator-hours",
        "title_runs": "{model}: every run",
        "title_history": "{model}: best result of each accelerator family over the rounds",
        "title_cover": "Efficiency of every scaling series",
        "round": "{round}, {division} division.",
        "dashed": "Dashed: perfect scaling.",
        "paper_reference": "Reference: {submitter} {system} ({count} × {accelerator}, "
        "{minutes:.2f} minutes)",
        "series_reference": "Each series: one submitter's systems of one kind of node, against the "
        "smallest.",
        "ringed": "Ringed: the knee, where one was found.",
        "band": "Band: 95 % of run-to-run noise.",
        "largest": "largest S × E: {n}",
        "knee": "knee: {n}",
        "accelerator": "Accelerator",
        "series": "Series",
        "against": "Against the reference",
        "same": "same accelerator",
        "another": "another accelerator",
        "product": "Efficiency (the product)",
        "throughput": "Throughput",
        "convergence": "Convergence",
        "normalisation": "Normalisation",
        "factors": "Efficiency = throughput × convergence × normalisation, exactly, against each "
        "series' smallest system.",
        "factors_mean": "Throughput: training done in a minute by each accelerator. Convergence: "
        "training needed to reach the target. Normalisation: the official scaling factor.",
        "strip": "Dot: the answer, the larger the more probable under run-to-run noise. Bar: its "
        "bracket. Arrow: not reached inside what was measured.",
        "method": "Method",
        "probability": "Probability",
        "front": "Filled: on the Pareto front of its series' points.",
        "dots": "Dot: a run that counts. Bar: the score. Runs differ mostly by how far they had to "
        "train.",
        "equal": "The fastest at {n} accelerators",
        "overall": "The fastest at any number (written beside each point)",
        "history_round": "Round",
        "history_note": "Derived from the results of MLPerf Training, closed division, available "
        "systems; not verified by MLCommons.",
        "history_spans": "A line ends where results stop being comparable. Rounds that compare: "
        "{spans}. Data: github.com/mlcommons/training_results_<round>.",
        "empty": "Nothing to show: {reason}.",
        "alt_about": "{model}, {what}, {round}.",
        "alt_points": "{name}: {count} points from {low} to {high} accelerators, {column} from "
        "{first} to {last}",
        "alt_answer": "{name}, {method}: {status} {accelerators}",
        "alt_factors": "{name} at {n}: {efficiency} = {throughput} throughput × {convergence} "
        "convergence × {normalisation} normalisation",
        "alt_cover": "Efficiency of {count} scaling series of {round}: {models}.",
        "alt_history": "{model} over the rounds {first} to {last}: best {minutes} minutes "
        "({n} {family}, {round}).",
        "alt_paper": "the paper's view",
        "alt_series": "scaling series",
        "alt_time": "time to train",
        "alt_runs": "every run",
        "alt_pareto": "time against accelerator-hours",
        "alt_breakeven": "break-even points",
        "alt_decomposition": "what ate the efficiency",
        "alt_minutes": "minutes",
        "alt_speedup": "speedup",
        "alt_efficiency": "efficiency",
        "found": "found at",
        "beyond": "beyond",
        "below": "below",
        "unofficial": "Unofficial metric, derived from the results of {round}, {division} "
        "division; not verified by MLCommons.",
        "source": "Data: {repository} at commit {commit}.",
    },
    "es": {
        "accelerators": "Aceleradores (N)",
        "minutes": "Minutos (oficial)",
        "speedup": "Aceleración (tiempo de referencia / tiempo)",
        "efficiency": "Eficiencia (aceleración × N0 / N)",
        "accelerator_hours": "Horas de acelerador",
        "factor": "Factor de la eficiencia",
        "run_minutes": "Minutos de cada ejecución",
        "title_paper_speedup": "{model}: aceleración según el artículo",
        "title_paper_efficiency": "{model}: eficiencia según el artículo",
        "title_series_speedup": "{model}: aceleración de las series de escalado",
        "title_series_efficiency": "{model}: eficiencia de las series de escalado",
        "title_time": "{model}: tiempo de entrenamiento",
        "title_decomposition": "{model}: qué se llevó la eficiencia",
        "title_breakeven": "{model}: dónde deja de compensar añadir aceleradores",
        "title_pareto": "{model}: tiempo frente a horas de acelerador",
        "title_runs": "{model}: todas las ejecuciones",
        "title_history": "{model}: mejor resultado de cada familia a lo largo de las rondas",
        "title_cover": "Eficiencia de todas las series de escalado",
        "round": "{round}, división {division}.",
        "dashed": "Discontinua: escalado perfecto.",
        "paper_reference": "Referencia: {submitter} {system} ({count} × {accelerator}, "
        "{minutes:.2f} minutos)",
        "series_reference": "Cada serie: sistemas de un participante con un mismo tipo de nodo, "
        "frente al menor.",
        "ringed": "Con anillo: la rodilla, donde se halló.",
        "band": "Banda: 95 % de la variación entre ejecuciones.",
        "largest": "mayor S × E: {n}",
        "knee": "rodilla: {n}",
        "accelerator": "Acelerador",
        "series": "Serie",
        "against": "Frente a la referencia",
        "same": "el mismo acelerador",
        "another": "otro acelerador",
        "product": "Eficiencia (el producto)",
        "throughput": "Rendimiento",
        "convergence": "Convergencia",
        "normalisation": "Normalización",
        "factors": "Eficiencia = rendimiento × convergencia × normalización, exactamente, frente "
        "al menor sistema de cada serie.",
        "factors_mean": "Rendimiento: entrenamiento por minuto y acelerador. Convergencia: "
        "entrenamiento necesario hasta el objetivo. Normalización: el factor oficial.",
        "strip": "Punto: la respuesta, mayor cuanto más probable ante la variación. Barra: su "
        "intervalo. Flecha: no se alcanza dentro de lo medido.",
        "method": "Método",
        "probability": "Probabilidad",
        "front": "Relleno: en el frente de Pareto de los puntos de su serie.",
        "dots": "Punto: una ejecución que cuenta. Barra: el resultado. Las ejecuciones difieren "
        "sobre todo en cuánto tuvieron que entrenar.",
        "equal": "La más rápida con {n} aceleradores",
        "overall": "La más rápida con cualquier número (escrito junto a cada punto)",
        "history_round": "Ronda",
        "history_note": "Derivado de los resultados de MLPerf Training, división cerrada, "
        "sistemas disponibles; no verificado por MLCommons.",
        "history_spans": "Una línea acaba donde los resultados dejan de ser comparables. Rondas "
        "comparables: {spans}. Datos: github.com/mlcommons/training_results_<round>.",
        "empty": "Nada que mostrar: {reason}.",
        "alt_about": "{model}, {what}, {round}.",
        "alt_points": "{name}: {count} puntos de {low} a {high} aceleradores, {column} de {first} "
        "a {last}",
        "alt_answer": "{name}, {method}: {status} {accelerators}",
        "alt_factors": "{name} con {n}: {efficiency} = {throughput} de rendimiento × "
        "{convergence} de convergencia × {normalisation} de normalización",
        "alt_cover": "Eficiencia de {count} series de escalado de {round}: {models}.",
        "alt_history": "{model} en las rondas {first} a {last}: mejor resultado {minutes} minutos "
        "({n} {family}, {round}).",
        "alt_paper": "según el artículo",
        "alt_series": "series de escalado",
        "alt_time": "tiempo de entrenamiento",
        "alt_runs": "todas las ejecuciones",
        "alt_pareto": "tiempo frente a horas de acelerador",
        "alt_breakeven": "puntos de equilibrio",
        "alt_decomposition": "qué se llevó la eficiencia",
        "alt_minutes": "minutos",
        "alt_speedup": "aceleración",
        "alt_efficiency": "eficiencia",
        "found": "hallado en",
        "beyond": "más allá de",
        "below": "por debajo de",
        "unofficial": "Métrica no oficial, derivada de los resultados de {round}, división "
        "{division}; no verificada por MLCommons.",
        "source": "Datos: {repository}, commit {commit}.",
    },
}
WORDS: dict[str, dict[str, str]] = {
    "en": {"closed": "closed", "open": "open", "and": "and"},
    "es": {"closed": "cerrada", "open": "abierta", "and": "y"},
}

Say = Callable[..., str]


def speaker(language: str) -> Say:
    """Return a function that gives the text of a key in one language, with its names filled in."""
    texts = TEXTS[language]

    def say(key: str, **values: object) -> str:
        return texts[key].format(**values)

    return say


def divisions(names: list[str], language: str) -> str:
    """Name divisions in one language: ``closed and open``."""
    words = WORDS[language]
    return f" {words['and']} ".join(words.get(name, name) for name in sorted(set(names)))
