"""Draws what benchmarks/run.py measured: `python benchmarks/run.py --json FILE`, then `benchmarks/chart.py FILE`.

One line a group of benchmarks; a dot is one statement, at the peer's time divided by cygrad's, the bar the group's
geometric mean. Right of 1 cygrad is faster. Needs matplotlib.
"""

import argparse
import json
from pathlib import Path

import matplotlib
from harness import title

matplotlib.use("svg")
from matplotlib import pyplot as plt  # after the choice of what draws

COLOURS = {"torch": "#d1495b", "numpy": "#2e6f95", "jax": "#66a182"}
TICKS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]


def ratios_of(group, peer):
    """The medians of a group's ratios to one peer."""
    return [row["ratios"][peer][1] for row in group["rows"] if peer in row["ratios"]]


def draw(groups):
    """The chart of a list of groups, as `harness.py --json` writes them."""
    peers = [peer for peer in COLOURS if any(peer in group["means"] for group in groups)]
    figure, axes = plt.subplots(figsize=(9, 0.9 + 0.62 * len(groups)), layout="constrained")
    height = 0.8 / len(peers)
    for place, group in enumerate(groups):
        for number, peer in enumerate(peers):
            if peer not in group["means"]:
                continue
            y = place + (number - (len(peers) - 1) / 2) * height
            found, mean = ratios_of(group, peer), group["means"][peer]
            axes.barh(y, mean - 1, height * 0.86, left=1, color=COLOURS[peer], alpha=0.35, linewidth=0)
            axes.plot(found, [y] * len(found), "o", color=COLOURS[peer], markersize=2.6, alpha=0.5, markeredgewidth=0)
            axes.annotate(f"{mean:.2g}", (mean, y), (3, 0), textcoords="offset points", va="center", fontsize=7,
                          bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.6})
    axes.axvline(1, color="#333", linewidth=0.8)
    axes.set(xscale="log", xlabel="time of the peer / time of cygrad", ylim=(len(groups) - 0.45, -0.55))
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.minorticks_off()
    threads = [f", {group['threads']} threads" if group["threads"] > 1 else "" for group in groups]
    axes.set_yticks(range(len(groups)), [group["group"] + text for group, text in zip(groups, threads)])
    axes.grid(axis="x", color="#ddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False, labelsize=8)
    axes.legend(handles=[matplotlib.patches.Patch(color=COLOURS[peer], alpha=0.6, label=title(peer)) for peer in peers],
                frameon=False, fontsize=8, loc="lower right")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=Path, nargs="+", help="what --json of a benchmark wrote")
    parser.add_argument("--out", type=Path, default=Path("performance.svg"), help="the chart (default: %(default)s)")
    options = parser.parse_args()
    groups = [group for path in options.figures for group in json.loads(path.read_text(encoding="utf-8"))]
    with plt.rc_context({"svg.hashsalt": "cygrad", "font.family": "sans-serif", "svg.fonttype": "none"}):
        draw(groups).savefig(options.out, metadata={"Date": None})


if __name__ == "__main__":
    main()
