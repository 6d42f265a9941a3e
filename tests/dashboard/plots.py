"""Draws the dashboard from answers of Prometheus, as Grafana lays it out.

Grafana itself is in none of the registries that this project uses. This reads the panels, their
places, units and colors from the dashboard, so that the picture changes with it.
"""

import io
import pathlib
from typing import Any, Dict, List, Tuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from matplotlib.ticker import FuncFormatter, MaxNLocator
from PIL import Image

Panel = Dict[str, Any]
# Left, bottom, width and height, in parts of the figure.
Place = Tuple[float, float, float, float]
# The picture has these rows. The others look the same.
ROWS = (
    "Is it up, and does it answer?",
    "Which tools are called, and do they work?",
    "What does disclosure cost, and what does it save?",
    "Do the gateway's servers answer?",
)
COLUMNS = 24
UNIT = 0.30  # inches of a row of the grid
WIDTH = 15.0
GAP = 0.05
MARGIN = 0.12
BACKGROUND, PANEL, EDGE, TEXT, MUTED = "#111217", "#181b1f", "#2c3235", "#d8d9da", "#8e9196"
NAMED = {
    "green": "#73bf69",
    "yellow": "#f2cc0c",
    "orange": "#ff9830",
    "red": "#f2495c",
    "blue": "#5794f2",
    "purple": "#b877d9",
}
PALETTE = ["#73bf69", "#f2cc0c", "#8ab8ff", "#ff780a", "#f2495c", "#5794f2", "#b877d9", "#96d98d"]
PALETTE += ["#ffee52", "#fade2a", "#ca95e5", "#8f3bb8"]
LEGENDS_MAX = 8


def color_of(name: str) -> str:
    return NAMED.get(name, name)


def short(value: float, digits: int = 3) -> str:
    for size, suffix in ((1e6, " M"), (1e3, " K")):
        if abs(value) >= size:
            return f"{value / size:.{digits}g}{suffix}"
    return f"{value:.{digits}g}"


def text_of(value: float, unit: str) -> str:
    """A value as Grafana writes it."""
    if unit == "percentunit":
        return f"{100 * value:.3g} %"
    if unit == "s":
        return f"{1000 * value:.3g} ms" if abs(value) < 1 else f"{value:.3g} s"
    suffix = {"reqps": " req/s", "cps": " c/s", "ops": " ops/s", "Bps": " B/s"}.get(unit, "")
    return short(value) + suffix


def tick_text(unit: str) -> FuncFormatter:
    return FuncFormatter(lambda value, _: "0" if value == 0 else text_of(value, unit))


def chosen(dashboard: Dict[str, Any]) -> Tuple[List[Tuple[Panel, int]], int]:
    """The panels of the rows of the picture, each with its place from the top, and the height."""
    placed: List[Tuple[Panel, int]] = []
    is_shown, top, last = False, 0, 0
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        if panel["type"] == "row":
            is_shown = panel["title"] in ROWS
            top, last = (last - at["y"], last) if is_shown else (top, last)
        if is_shown:
            placed.append((panel, at["y"] + top))
            last = max(last, at["y"] + top + at["h"])
    return placed, last


def box(panel: Panel, y: int, height: int) -> Place:
    """The rectangle of a panel."""
    at = panel["gridPos"]
    full = (height * UNIT) + 2 * MARGIN
    inner = WIDTH - 2 * MARGIN
    left = (MARGIN + at["x"] / COLUMNS * inner + GAP) / WIDTH
    bottom = (MARGIN + (height - y - at["h"]) * UNIT + GAP) / full
    wide = (at["w"] / COLUMNS * inner - 2 * GAP) / WIDTH
    return left, bottom, wide, (at["h"] * UNIT - 2 * GAP) / full


def frame(figure: Figure, place: Place) -> None:
    left, bottom, wide, high = place
    figure.add_artist(
        FancyBboxPatch(
            (left, bottom), wide, high, "square,pad=0", fc=PANEL, ec=EDGE, lw=0.6, zorder=-1
        )
    )


def title(figure: Figure, panel: Panel, place: Place) -> None:
    left, bottom, wide, high = place
    inches = figure.get_figheight()
    top = bottom + high - 0.08 / inches
    figure.text(left + 0.08 / WIDTH, top, panel["title"], color=TEXT, size=8.5, va="top")


def threshold_color(panel: Panel, value: float) -> str:
    color = "green"
    for step in panel["fieldConfig"]["defaults"]["thresholds"]["steps"]:
        if step["value"] is None or value >= step["value"]:
            color = step["color"]
    return color_of(color)


def draw_stat(figure: Figure, panel: Panel, place: Place, series: List[Panel]) -> None:
    left, bottom, wide, high = place
    points = series[0]["points"] if series else []
    if not points:
        return
    color = threshold_color(panel, points[-1][1])
    text = text_of(points[-1][1], panel["fieldConfig"]["defaults"]["unit"])
    middle = bottom + high * (0.52 if len(points) > 1 else 0.42)
    figure.text(left + wide / 2, middle, text, color=color, size=21, ha="center", va="center")
    if len(points) > 1:
        axes = figure.add_axes((left, bottom, wide, high * 0.27))
        axes.axis("off")
        times, values = zip(*points)
        axes.fill_between(times, values, min(0, *values), color=color, alpha=0.25, lw=0)
        axes.plot(times, values, color=color, lw=0.8)
        axes.margins(x=0)


def colors(panel: Panel, series: List[Panel]) -> List[str]:
    fixed = {
        override["matcher"]["options"]: color_of(override["properties"][0]["value"]["fixedColor"])
        for override in panel["fieldConfig"]["overrides"]
    }
    return [fixed.get(one["name"], PALETTE[n % len(PALETTE)]) for n, one in enumerate(series)]


def broken(points: List[Tuple[float, float]], interval: float) -> Tuple[List[float], List[float]]:
    """The points with a gap wherever scrapes are missing."""
    times: List[float] = []
    values: List[float] = []
    for at, value in points:
        if times and at - times[-1] > 2.5 * interval:
            times.append(times[-1] + interval)
            values.append(float("nan"))
        times.append(at)
        values.append(value)
    return times, values


def style(axes: Axes, panel: Panel, times: Tuple[float, float]) -> None:
    defaults = panel["fieldConfig"]["defaults"]
    axes.set_facecolor(PANEL)
    axes.grid(color=EDGE, lw=0.5)
    axes.tick_params(colors=MUTED, labelsize=6.5, length=0, pad=2)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xlim(*times)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(tick_text(defaults["unit"]))
    start = times[0]
    axes.xaxis.set_major_locator(MaxNLocator(6))
    minutes = range(0, int((times[1] - start) // 60) + 1)
    axes.set_xticks([start + 60 * minute for minute in minutes], [f"{m} min" for m in minutes])
    _, top = axes.get_ylim()
    axes.set_ylim(defaults.get("min", None), defaults.get("max", top))


def draw_series(
    figure: Figure, panel: Panel, place: Place, series: List[Panel], times: Tuple[float, float]
) -> None:
    left, bottom, wide, high = place
    inches = figure.get_figheight()
    rows = 1 + (min(len(series), LEGENDS_MAX) - 1) // legend_columns(panel, series)
    below = (0.24 + 0.145 * rows) / inches
    size = (left + 0.47 / WIDTH, bottom + below, wide - 0.57 / WIDTH)
    axes = figure.add_axes((*size, high - below - 0.33 / inches))
    is_stacked = panel["fieldConfig"]["defaults"]["custom"]["stacking"]["mode"] == "normal"
    palette = colors(panel, series)
    if is_stacked:
        stack(axes, series, palette)
    else:
        for one, color in zip(series, palette):
            axes.plot(*broken(one["points"], 5), color=color, lw=1.1, label=one["name"])
    style(axes, panel, times)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(
        handles[:LEGENDS_MAX],
        labels[:LEGENDS_MAX],
        loc="upper left",
        bbox_to_anchor=(-0.09, -0.1),
        ncols=legend_columns(panel, series),
        fontsize=6.5,
        labelcolor=TEXT,
        frameon=False,
        handlelength=1,
        handleheight=0.5,
        columnspacing=1,
        borderpad=0.2,
        labelspacing=0.25,
    )


def legend_columns(panel: Panel, series: List[Panel]) -> int:
    longest = max([len(one["name"]) for one in series] or [1])
    return max(1, min(6, int(panel["gridPos"]["w"] * 11.5 // (longest + 5))))


def stack(axes: Axes, series: List[Panel], palette: List[str]) -> None:
    times = sorted({at for one in series for at, _ in one["points"]})
    base = [0.0] * len(times)
    for one, color in zip(series, palette):
        values = dict(one["points"])
        top = [low + values.get(at, 0.0) for low, at in zip(base, times)]
        axes.fill_between(times, base, top, color=color, alpha=0.35, lw=0)
        axes.plot(times, top, color=color, lw=0.9, label=one["name"])
        base = top


def draw_table(figure: Figure, panel: Panel, place: Place, series: List[Panel]) -> None:
    left, bottom, wide, high = place
    inches = figure.get_figheight()
    names = panel["transformations"][1]["options"]["renameByName"]
    overrides = panel["fieldConfig"]["overrides"]
    units = {one["matcher"]["options"]: one["properties"][0]["value"] for one in overrides}
    columns = [(target["refId"], names[f"Value #{target['refId']}"]) for target in panel["targets"]]
    cells = {
        (one["labels"].get("tool"), one["target"]): one["points"][-1][1]
        for one in series
        if one["points"]
    }
    tools = [one["labels"]["tool"] for one in series if one["target"] == "A"]
    step, line = 0.205 / inches, bottom + high - 0.42 / inches
    places = [left + wide * (0.36 + 0.15 * n) for n in range(len(columns))]
    figure.text(left + 0.1 / WIDTH, line, "Tool", color=NAMED["blue"], size=7.5)
    for x, (_, name) in zip(places, columns):
        figure.text(x, line, name, color=NAMED["blue"], size=7.5, ha="right")
    for number, tool in enumerate(tools):
        y = line - (number + 1) * step
        if y < bottom:
            break
        figure.text(left + 0.1 / WIDTH, y, tool, color=TEXT, size=7.5)
        for x, (reference, name) in zip(places, columns):
            value = cells.get((tool, reference))
            text = "" if value is None else text_of(value, units[name])
            figure.text(x, y, text, color=TEXT, size=7.5, ha="right")


def draw(dashboard: Dict[str, Any], data: Dict[str, Any], file: pathlib.Path) -> None:
    placed, height = chosen(dashboard)
    figure = plt.figure(figsize=(WIDTH, height * UNIT + 2 * MARGIN), facecolor=BACKGROUND)
    for panel, y in placed:
        place = box(panel, y, height)
        if panel["type"] == "row":
            left, bottom, _, high = place
            name = "⌄ " + panel["title"]
            figure.text(left, bottom + high / 2, name, color=TEXT, size=10, va="center")
            continue
        series = sorted(data["panels"][str(panel["id"])], key=lambda one: one["target"])
        frame(figure, place)
        title(figure, panel, place)
        if panel["type"] == "stat":
            draw_stat(figure, panel, place, series)
        elif panel["type"] == "table":
            draw_table(figure, panel, place, series)
        else:
            draw_series(figure, panel, place, series, tuple(data["times"]))
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=100, facecolor=BACKGROUND)
    plt.close(figure)
    # A palette halves the file, and such a picture has few colors.
    picture = Image.open(drawn).convert("RGB").quantize(160, dither=Image.Dither.NONE)
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.save(file, optimize=True)
