//! Diagrams as SVG: lines with bands, histograms, and bars with error bars.
//!
//! Exists so that results can be looked at without another program. Who draws says what the axes mean; nothing is known
//! here of games. The ground is white, so that a diagram can be read on a dark page, too, and the same numbers give the
//! same bytes.

use std::ops::Range;

use anyhow::Result;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Size of a diagram in pixels; bars are as high as they are many.
const WIDTH: u32 = 800;
const HEIGHT: u32 = 450;
/// Distance of everything from the edge.
const MARGIN: i32 = 16;
/// Room for the title, for a row of the legend, and beside the axes.
const TITLE: i32 = 34;
const LEGEND_ROW: i32 = 22;
const LEFT: i32 = 66;
const BOTTOM: i32 = 52;
/// Width of a character, about: the font with which a diagram is shown is not known.
const CHARACTER: f64 = 7.2;

const INK: RGBColor = RGBColor(34, 34, 34);
const GRID: RGBColor = RGBColor(222, 222, 222);
/// Colours that the colour-blind distinguish as well (Okabe and Ito).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// What stands around a diagram. Axes are named with their units.
#[derive(Clone, Copy, Debug)]
pub struct PlotLabels<'a> {
    /// What it shows.
    pub title: &'a str,
    /// The horizontal axis.
    pub x: &'a str,
    /// The vertical axis; bars have names instead.
    pub y: &'a str,
}

/// How the vertical axis of a line chart counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Equal steps are equal differences.
    Linear,
    /// Equal steps are equal ratios; everything must be above 0.
    Logarithmic,
}

/// A line of a line chart.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Line {
    /// Its name in the legend.
    pub label: String,
    /// Points from left to right: x and y.
    pub points: Vec<[f64; 2]>,
    /// A band behind it: x, lower and upper y. May be empty.
    pub band: Vec<[f64; 3]>,
}

/// A value with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bar {
    /// How far the bar goes.
    pub value: f64,
    /// Ends of the error bar.
    pub interval: Option<[f64; 2]>,
}

/// Bars of one colour.
#[derive(Clone, PartialEq, Debug)]
pub struct Bars {
    /// Their name in the legend.
    pub label: String,
    /// One for each name beside the axis.
    pub bars: Vec<Bar>,
}

/// A place on the horizontal axis with a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Mark {
    /// Where.
    pub at: f64,
    /// What it is.
    pub label: String,
}

type Root<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Lines over a common axis; a legend names them where there are several.
///
/// # Errors
/// When the library cannot draw.
pub fn line_chart(frame: &PlotLabels<'_>, lines: &[Line], scale: Scale) -> Result<String> {
    let height = |value: f64| if scale == Scale::Logarithmic { value.log10() } else { value };
    let of_bands = lines.iter().flat_map(|line| line.band.iter().flat_map(|band| [band[1], band[2]]));
    let ys = lines.iter().flat_map(|line| line.points.iter().map(|point| point[1])).chain(of_bands).map(height);
    let x = tight(lines.iter().flat_map(|line| line.points.iter().map(|point| point[0])));
    let (y, written, left): (_, fn(&f64) -> String, _) = match scale {
        Scale::Linear => (roomy(ys), plain, LEFT),
        Scale::Logarithmic => (padded(ys), |&value| rounded(10_f64.powf(value)), LEFT + 30),
    };
    let labels: Vec<&str> = lines.iter().map(|line| line.label.as_str()).collect();
    svg(HEIGHT, |root| {
        let top = legend(root, &labels)?;
        let mut chart = axes(root, frame, x, y, written, top, left)?;
        for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
            let lower = line.band.iter().map(|&[x, low, _]| (x, height(low)));
            let upper = line.band.iter().rev().map(|&[x, _, high]| (x, height(high)));
            let outline: Vec<(f64, f64)> = lower.chain(upper).collect();
            if !outline.is_empty() {
                chart.draw_series([Polygon::new(outline, colour.mix(0.2))])?;
            }
            let points: Vec<(f64, f64)> = line.points.iter().map(|&[x, y]| (x, height(y))).collect();
            chart.draw_series([PathElement::new(points, colour.stroke_width(2))])?;
        }
        Ok(())
    })
}

/// Columns of equal `width`, the first of which begins at `from`; `marks` are lines across.
///
/// # Errors
/// When the library cannot draw.
pub fn histogram(frame: &PlotLabels<'_>, from: f64, width: f64, columns: &[f64], marks: &[Mark]) -> Result<String> {
    let edge = |column: usize| from + width * column as f64;
    let highest = columns.iter().copied().fold(0.0, f64::max);
    let y = 0.0..if highest > 0.0 { 1.1 * highest } else { 1.0 };
    svg(HEIGHT, |root| {
        let mut chart = axes(root, frame, from..edge(columns.len().max(1)), y.clone(), plain, TITLE, LEFT)?;
        let column = |(number, &height): (usize, &f64)| {
            Rectangle::new([(edge(number), 0.0), (edge(number + 1), height)], COLOURS[0].mix(0.75).filled())
        };
        chart.draw_series(columns.iter().enumerate().map(column))?;
        for (number, mark) in marks.iter().enumerate() {
            let line = vec![(mark.at, 0.0), (mark.at, y.end)];
            chart.draw_series([PathElement::new(line, COLOURS[1].stroke_width(1))])?;
            // Neighbours stand at different heights, so that their names do not meet.
            let (x, top) = chart.backend_coord(&(mark.at, y.end));
            root.draw_text(&mark.label, &text(15, HPos::Left, VPos::Top), (x + 4, top + 4 + 18 * (number as i32 % 3)))?;
        }
        Ok(())
    })
}

/// Bars to the right or left of a base, in groups, beside names from the top down.
#[derive(Clone, PartialEq, Debug)]
pub struct BarPanel {
    /// What stands above it; may be empty.
    pub title: String,
    /// Where the bars begin.
    pub base: f64,
    /// The names.
    pub names: Vec<String>,
    /// The groups, each with a bar for each name.
    pub groups: Vec<Bars>,
}

/// Small multiples: panels of bars one above the other, on one scale and with the legend of the first. Values are
/// written beside the bars with so many `digits` after the point.
///
/// # Errors
/// When the library cannot draw.
pub fn bar_panels(frame: &PlotLabels<'_>, panels: &[BarPanel], digits: usize) -> Result<String> {
    let all = || panels.iter().flat_map(|panel| &panel.groups).flat_map(|bars| &bars.bars);
    let ends = all().flat_map(|bar| bar.interval.into_iter().flatten().chain([bar.value]));
    let x = padded(ends.filter(|end| end.is_finite()).chain(panels.iter().map(|panel| panel.base)));
    let groups = panels.first().map_or(&[][..], |panel| &panel.groups);
    let labels: Vec<&str> = groups.iter().map(|bars| bars.label.as_str()).collect();
    let title_height = |panel: &BarPanel| if panel.title.is_empty() { 0 } else { TITLE };
    let height = |panel: &BarPanel| {
        let rows = panel.names.len().max(1) as i32;
        title_height(panel) + (thickness(panel) * panel.groups.len().max(1) as i32 + 10) * rows + BOTTOM + 2 * MARGIN
    };
    let longest = panels.iter().flat_map(|panel| &panel.names).map(|name| name.chars().count()).max().unwrap_or(0);
    let left = (longest as f64 * CHARACTER) as i32 + 12;
    let head = TITLE + legend_rows(&labels).1;
    svg((head + panels.iter().map(height).sum::<i32>()) as u32, |root| {
        root.draw_text(frame.title, &text(20, HPos::Left, VPos::Top), (MARGIN, 10))?;
        let mut top = legend(root, &labels)?;
        for panel in panels {
            let area = root.clone().shrink((0, top), (WIDTH, height(panel) as u32));
            let own = PlotLabels { title: &panel.title, ..*frame };
            let y = 0.0..panel.names.len().max(1) as f64;
            let mut chart = axes(&area, &own, x.clone(), y, plain, title_height(panel), left)?;
            draw_bars(root, &mut chart, panel, left, digits)?;
            top += height(panel);
        }
        Ok(())
    })
}

/// How high a bar is, with its distance to the next.
fn thickness(panel: &BarPanel) -> i32 {
    if panel.groups.len() > 1 { 15 } else { 20 }
}

fn draw_bars(root: &Root<'_>, chart: &mut Chart<'_>, panel: &BarPanel, left: i32, digits: usize) -> Result<()> {
    let BarPanel { base, names, groups, .. } = panel;
    let (base, thickness) = (*base, thickness(panel));
    let centre = |chart: &Chart<'_>, name: usize| chart.backend_coord(&(base, (names.len() - name) as f64 - 0.5)).1;
    for (number, (bars, colour)) in groups.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let offset = thickness * (2 * number as i32 + 1 - groups.len() as i32) / 2;
        for (name, bar) in bars.bars.iter().enumerate().take(names.len()).filter(|(_, bar)| bar.value.is_finite()) {
            let y = centre(chart, name) + offset;
            let at = |value: f64| chart.backend_coord(&(value, 0.5)).0;
            let (from, to) = (at(base).min(at(bar.value)), at(base).max(at(bar.value)));
            let half = thickness / 2 - 1;
            root.draw(&Rectangle::new([(from, y - half), (to.max(from + 1), y + half)], colour.mix(0.75).filled()))?;
            if let Some([low, high]) = bar.interval.filter(|ends| ends.iter().all(|end| end.is_finite())) {
                let (low, high) = (at(low), at(high));
                for ends in [[(low, y), (high, y)], [(low, y - 4), (low, y + 4)], [(high, y - 4), (high, y + 4)]] {
                    root.draw(&PathElement::new(ends, INK.stroke_width(1)))?;
                }
            }
            let written = format!("{:.digits$}", bar.value);
            root.draw_text(&written, &text(15, HPos::Right, VPos::Center), (WIDTH as i32 - MARGIN, y))?;
        }
    }
    for (number, name) in names.iter().enumerate() {
        let place = (MARGIN + left - 8, centre(chart, number));
        root.draw_text(name, &text(16, HPos::Right, VPos::Center), place)?;
    }
    let line = vec![(base, 0.0), (base, names.len().max(1) as f64)];
    chart.draw_series([PathElement::new(line, INK.stroke_width(1))])?;
    Ok(())
}

/// An SVG of the usual width on which `draw` draws.
fn svg(height: u32, draw: impl FnOnce(&Root<'_>) -> Result<()>) -> Result<String> {
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    draw(&root)?;
    root.present()?;
    drop(root);
    Ok(text)
}

fn text(size: u32, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", size).into_font()).color(&INK).pos(Pos::new(horizontal, vertical))
}

/// Where the entries of a legend stand, and the height of all rows; one entry alone needs none.
fn legend_rows(labels: &[&str]) -> (Vec<(i32, i32)>, i32) {
    if labels.len() < 2 {
        return (Vec::new(), 0);
    }
    let (mut places, mut x, mut row) = (Vec::new(), MARGIN, 0);
    for label in labels {
        let width = 46 + (label.chars().count() as f64 * CHARACTER) as i32;
        if x > MARGIN && x + width > WIDTH as i32 {
            (x, row) = (MARGIN, row + 1);
        }
        places.push((x, TITLE + MARGIN / 2 + row * LEGEND_ROW));
        x += width;
    }
    (places, (row + 1) * LEGEND_ROW)
}

/// Draws the legend below the title; returns where it ends.
fn legend(root: &Root<'_>, labels: &[&str]) -> Result<i32> {
    let (places, height) = legend_rows(labels);
    for ((&(x, y), label), colour) in places.iter().zip(labels).zip(COLOURS.iter().cycle()) {
        root.draw(&Rectangle::new([(x, y), (x + 18, y + 12)], colour.mix(0.75).filled()))?;
        root.draw_text(label, &text(16, HPos::Left, VPos::Center), (x + 24, y + 6))?;
    }
    Ok(TITLE + height)
}

/// Draws the title and the axes; the numbers of the vertical one are as `written`, with room of `left`.
fn axes<'a>(
    root: &Root<'a>,
    frame: &PlotLabels<'_>,
    x: Range<f64>,
    y: Range<f64>,
    written: fn(&f64) -> String,
    top: i32,
    left: i32,
) -> Result<Chart<'a>> {
    if !frame.title.is_empty() {
        root.draw_text(frame.title, &text(20, HPos::Left, VPos::Top), (MARGIN, 10))?;
    }
    let has_names = frame.y.is_empty();
    let mut builder = ChartBuilder::on(root);
    builder.margin(MARGIN).margin_top(top + MARGIN / 2).margin_right(if has_names { 72 } else { 24 });
    builder.x_label_area_size(BOTTOM).y_label_area_size(left);
    let mut chart = builder.build_cartesian_2d(x, y)?;
    let mut mesh = chart.configure_mesh();
    mesh.bold_line_style(GRID).light_line_style(TRANSPARENT).axis_style(INK).x_desc(frame.x);
    mesh.label_style(text(15, HPos::Center, VPos::Center)).axis_desc_style(text(16, HPos::Center, VPos::Center));
    mesh.x_label_formatter(&plain).y_label_formatter(&written);
    if has_names {
        mesh.disable_y_mesh().y_labels(0);
    } else {
        mesh.y_desc(frame.y);
    }
    mesh.draw()?;
    Ok(chart)
}

/// A number with two significant digits.
fn rounded(value: f64) -> String {
    let unit = 10_f64.powf(value.abs().log10().floor() - 1.0);
    let digits = (1 - value.abs().log10().floor() as i32).max(0) as usize;
    format!("{:.digits$}", (value / unit).round() * unit)
}

/// A number on an axis, without needless digits.
fn plain(value: &f64) -> String {
    // Adding 0 makes a negative zero a plain one.
    format!("{}", (value * 1e6).round() / 1e6 + 0.0)
}

/// From the least to the largest of `values`; 0 to 1 where there are none, and never empty.
fn tight(values: impl Iterator<Item = f64>) -> Range<f64> {
    let ends = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
    match values.filter(|value| value.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), ends) {
        (low, high) if low > high => 0.0..1.0,
        (low, high) if low == high => low - 0.5..high + 0.5,
        (low, high) => low..high,
    }
}

/// As [`tight`], with a little room at both ends.
fn padded(values: impl Iterator<Item = f64>) -> Range<f64> {
    let Range { start, end } = tight(values);
    let room = 0.04 * (end - start);
    start - room..end + room
}

/// As [`padded`], and from 0 on where that is not far.
fn roomy(values: impl Iterator<Item = f64>) -> Range<f64> {
    let bare = tight(values);
    let Range { start, end } = padded([bare.start, bare.end].into_iter());
    if bare.start >= 0.0 && bare.start < 0.5 * bare.end { 0.0..end } else { start..end }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: PlotLabels<'_> = PlotLabels { title: "Turns & <throws>", x: "turns", y: "games (%)" };

    /// Checks that tags are balanced and that every text is there, and returns the texts in their order.
    #[track_caller]
    fn texts(svg: &str, expected: &[&str]) -> Vec<String> {
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
        let mut open: Vec<&str> = Vec::new();
        for tag in svg.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').expect("a tag ends");
            let name = tag.split([' ', '/']).next().unwrap_or_default();
            match (tag.strip_prefix('/'), tag.ends_with('/')) {
                (Some(closed), _) => assert_eq!(open.pop(), Some(closed)),
                (None, true) => {}
                (None, false) => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let found: Vec<String> = svg
            .split("<text ")
            .skip(1)
            .filter_map(|part| Some(part.split_once('>')?.1.split_once('<')?.0.trim().to_owned()))
            .collect();
        for text in expected {
            assert!(found.iter().any(|found| found == text), "{text} in {found:?}");
        }
        found
    }

    #[test]
    fn lines_have_axes_and_a_legend() {
        let line = |label: &str, height: f64| Line {
            label: label.to_owned(),
            points: vec![[0.0, height], [10.0, 2.0 * height]],
            band: vec![[0.0, 0.5 * height, 1.5 * height], [10.0, height, 3.0 * height]],
        };
        let svg = line_chart(&FRAME, &[line("luck", 10.0), line("choice", 20.0)], Scale::Linear).expect("drawn");
        texts(&svg, &["Turns &amp; &lt;throws&gt;", "turns", "games (%)", "luck", "choice", "0", "5", "10", "60"]);
        assert_eq!(svg.matches("<polygon").count(), 2);
        assert_eq!(svg, line_chart(&FRAME, &[line("luck", 10.0), line("choice", 20.0)], Scale::Linear).expect("drawn"));
        let alone = line_chart(&FRAME, &[line("luck", 10.0)], Scale::Linear).expect("drawn");
        assert!(!texts(&alone, &[]).contains(&"luck".to_owned()), "one line needs no legend");
        let steep = Line { points: vec![[0.0, 0.01], [1.0, 0.0001]], ..Line::default() };
        let svg = line_chart(&FRAME, &[steep], Scale::Logarithmic).expect("drawn");
        texts(&svg, &["0.010", "0.0010", "0.00010"]);
    }

    #[test]
    fn histograms_have_columns_and_marks() {
        let mark = Mark { at: 12.5, label: "median 12".to_owned() };
        let svg = histogram(&FRAME, 10.0, 1.0, &[1.0, 0.0, 4.0, 2.0], &[mark]).expect("drawn");
        texts(&svg, &["median 12", "10", "12", "14", "4"]);
        // The ground and one for each column.
        assert_eq!(svg.matches("<rect").count(), 5);
    }

    #[test]
    fn bars_have_names_and_error_bars() {
        let bar = |value, interval| Bar { value, interval };
        let bars = Bars {
            label: "won".to_owned(),
            bars: vec![
                bar(62.5, Some([60.0, 65.0])),
                bar(50.0, None),
                bar(48.0, Some([f64::NEG_INFINITY, f64::INFINITY])),
            ],
        };
        let adjusted = Bars { label: "without luck".to_owned(), bars: vec![bar(61.0, None); 3] };
        let names = ["random", "runner", "greedy"].map(str::to_owned);
        let frame = PlotLabels { y: "", ..FRAME };
        let panel = |groups| BarPanel { title: String::new(), base: 50.0, names: names.to_vec(), groups };
        let svg = bar_panels(&frame, &[panel(vec![bars.clone(), adjusted])], 1).expect("drawn");
        texts(&svg, &["random", "runner", "greedy", "won", "without luck", "62.5", "48.0", "61.0"]);
        let short = bar_panels(&frame, &[panel(vec![bars])], 1).expect("drawn");
        assert!(short.len() < svg.len());
    }

    #[test]
    fn panels_stand_below_each_other_on_one_scale() {
        let bars = |value| Bars { label: String::new(), bars: vec![Bar { value, interval: None }] };
        let panel = |title: &str, values: &[f64]| BarPanel {
            title: title.to_owned(),
            base: 0.0,
            names: vec!["greedy".to_owned()],
            groups: values.iter().map(|&value| bars(value)).collect(),
        };
        let frame = PlotLabels { y: "", ..FRAME };
        let panels = [panel("two seats", &[10.0, f64::NAN]), panel("three seats", &[90.0, 40.0])];
        let svg = bar_panels(&frame, &panels, 1).expect("drawn");
        let found = texts(&svg, &["two seats", "three seats", "10.0", "90.0", "40.0"]);
        assert_eq!(found.iter().filter(|text| *text == "greedy").count(), 2);
        assert_eq!(found.iter().filter(|text| *text == "80").count(), 2, "the scale of the larger one: {found:?}");
        // The ground and three bars, and two squares of the legend.
        assert_eq!(svg.matches("<rect").count(), 6);
    }

    #[test]
    fn nothing_can_be_drawn_too() {
        let panel = BarPanel { title: String::new(), base: 0.5, names: Vec::new(), groups: Vec::new() };
        for svg in [
            line_chart(&FRAME, &[], Scale::Logarithmic),
            line_chart(&FRAME, &[Line { points: vec![[1.0, 1.0]], ..Line::default() }], Scale::Linear),
            histogram(&FRAME, 0.0, 1.0, &[], &[]),
            bar_panels(&PlotLabels { y: "", ..FRAME }, &[panel], 2),
        ] {
            texts(&svg.expect("drawn"), &["turns"]);
        }
    }

    #[test]
    fn ranges_are_never_empty() {
        assert_eq!(tight([].into_iter()), 0.0..1.0);
        assert_eq!(tight([2.0, 2.0, f64::NAN].into_iter()), 1.5..2.5);
        assert_eq!(roomy([1.0, 11.0].into_iter()), 0.0..11.4);
        assert_eq!(roomy([10.0, 12.5].into_iter()), 9.9..12.6);
        assert_eq!([-0.0, 0.30000000000000004, 50.0].map(|value| plain(&value)), ["0", "0.3", "50"]);
    }
}
