"""Draws the metrics of a run as an animated picture:
`python docs/pictures/training.py RUN/metrics.jsonl > training.svg`.

It shows the scores against the opponents of the short evaluations. The lines grow with the number
of self-play games.
"""

import json
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 52, 130, 24, 40
SECONDS = 8
COLOURS = ["#00609c", "#0a7a4f", "#b4552d", "#8f2d12"]
NAMES = {"perfect": "perfect play"}


def main(path):
    lines = [json.loads(line) for line in open(path)]
    series = {}
    for line in lines:
        for tag, value in line.items():
            if tag.startswith("eval/vs_") and tag.endswith("/score"):
                series.setdefault(tag[8:-6], []).append((line["games"], 100 * value))
    last = lines[-1]["games"]

    def x(games):
        return LEFT + (WIDTH - LEFT - RIGHT) * games / last

    def y(score):
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (score - 10) / 90)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fffaf2"/>',
    ]
    for score in (20, 40, 50, 60, 80, 100):
        out.append(
            f'<path d="M{LEFT} {y(score):.1f}H{WIDTH - RIGHT}" stroke="#{"bbab93" if score == 50 else "e8dcc8"}"/>'
        )
        out.append(
            f'<text x="{LEFT - 8}" y="{y(score) + 4:.1f}" text-anchor="end" fill="#5d5144">{score} %</text>'
        )
    for games in range(0, last + 1, 20_000):
        out.append(
            f'<text x="{x(games):.1f}" y="{HEIGHT - 18}" text-anchor="middle" fill="#5d5144">{games:,}</text>'
        )
    out.append(
        f'<text x="{x(last / 2):.1f}" y="{HEIGHT - 3}" text-anchor="middle" fill="#5d5144">games of self-play</text>'
    )
    out.append(f'<text x="{LEFT}" y="15" fill="#5d5144">score against</text>')
    reveal = f'<animate attributeName="width" from="0" to="{WIDTH - LEFT - RIGHT + 4}" dur="{SECONDS}s" fill="freeze"/>'
    out.append(
        f'<clipPath id="seen"><rect x="{LEFT - 2}" y="0" width="{WIDTH}" height="{HEIGHT}">{reveal}</rect></clipPath>'
    )
    ends = sorted(((points[-1][1], name) for name, points in series.items()), reverse=True)
    heights = []
    for (score, name), colour in zip(ends, COLOURS):
        points = "L".join(f"{x(games):.1f} {y(value):.1f}" for games, value in series[name])
        out.append(
            f'<path d="M{points}" fill="none" stroke="{colour}" stroke-width="2.5" clip-path="url(#seen)"/>'
        )
        heights.append(max(y(score), heights[-1] + 15 if heights else 0))
        out.append(
            f'<text x="{WIDTH - RIGHT + 8}" y="{heights[-1] + 4:.1f}" fill="{colour}">{NAMES.get(name, name)}</text>'
        )
    print("\n".join([*out, "</svg>"]))


main(sys.argv[1])
