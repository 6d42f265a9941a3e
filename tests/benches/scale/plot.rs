//! The figures as curves, both axes logarithmic: a line of slope 1 grows with the number of tools.

use super::Figures;
use std::fmt::Write;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 170.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 55.0;
/// The decades that the axes show: of tools, and of milliseconds.
const TOOLS: (f64, f64) = (2.0, 5.0);
const TIMES: (f64, f64) = (-2.0, 4.0);

/// The name, the color and the value of a curve.
type Curve = (&'static str, &'static str, fn(&Figures) -> f64);

/// An SVG with the times by the number of tools.
pub(crate) fn svg(figures: &[Figures]) -> String {
    let curves: [Curve; 4] = [
        ("start", "#1f6feb", |figures| {
            figures.registry + figures.start
        }),
        ("first search", "#d1762a", |figures| figures.first),
        ("search", "#2da44e", |figures| figures.find),
        ("list", "#8250df", |figures| figures.list),
    ];
    let mut picture = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">
<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>
<text x="{LEFT}" y="26" font-size="16">Milliseconds by the number of tools</text>
"#
    );
    for decade in TOOLS.0 as i32..=TOOLS.1 as i32 {
        let at = x(f64::from(decade));
        let label = 10_u64.pow(decade.unsigned_abs());
        rule(&mut picture, [at, y(TIMES.0), at, y(TIMES.1)]);
        label_at(
            &mut picture,
            at,
            HEIGHT - BOTTOM + 20.0,
            "middle",
            &label.to_string(),
        );
    }
    for decade in TIMES.0 as i32..=TIMES.1 as i32 {
        let at = y(f64::from(decade));
        let label = 10_f64.powi(decade);
        rule(&mut picture, [x(TOOLS.0), at, x(TOOLS.1), at]);
        label_at(
            &mut picture,
            LEFT - 8.0,
            at + 4.0,
            "end",
            &label.to_string(),
        );
    }
    for (name, color, value) in curves {
        let points: Vec<(f64, f64)> = figures
            .iter()
            .map(|figures| (x((figures.tools as f64).log10()), y(value(figures).log10())))
            .collect();
        let line: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let line = line.join(" ");
        writeln!(
            picture,
            r#"<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>"#
        )
        .unwrap();
        if let Some((at, height)) = points.last() {
            label_at(&mut picture, at + 8.0, height + 4.0, "start", name);
        }
    }
    picture + "</svg>\n"
}

fn x(tools: f64) -> f64 {
    LEFT + (tools - TOOLS.0) / (TOOLS.1 - TOOLS.0) * (WIDTH - LEFT - RIGHT)
}

fn y(time: f64) -> f64 {
    let time = time.clamp(TIMES.0, TIMES.1);
    HEIGHT - BOTTOM - (time - TIMES.0) / (TIMES.1 - TIMES.0) * (HEIGHT - TOP - BOTTOM)
}

fn rule(picture: &mut String, [x1, y1, x2, y2]: [f64; 4]) {
    writeln!(
        picture,
        r##"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="#ddd"/>"##
    )
    .unwrap();
}

fn label_at(picture: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    writeln!(
        picture,
        r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
    )
    .unwrap();
}
