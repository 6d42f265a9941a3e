//! The samples as a picture for people.

use super::samples::Sample;
use std::fmt::Write;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 480.0;
/// Room around the area of the plot, for what is written on the axes.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 55.0;

const MIB: f64 = 1024.0 * 1024.0;

/// Where values lie in the picture.
struct Scale {
    minutes: f64,
    mib: f64,
}

/// An SVG with the live heap and the resident set over time.
pub(crate) fn svg(samples: &[Sample]) -> String {
    let most = |of: fn(&Sample) -> f64| samples.iter().map(of).fold(0.0, f64::max);
    let scale = Scale {
        minutes: most(|sample| sample.at) / 60.0,
        mib: most(|sample| sample.resident) / MIB,
    };
    let mut picture = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">
<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>
<text x="{LEFT}" y="26" font-size="16">Memory of one process with server and clients, under a steady load</text>
"#
    );
    scale.axes(&mut picture);
    scale.line(
        &mut picture,
        samples,
        "live heap",
        "#1f6feb",
        0.0,
        |sample| sample.live,
    );
    scale.line(
        &mut picture,
        samples,
        "resident set",
        "#d1762a",
        1.0,
        |sample| sample.resident,
    );
    picture + "</svg>\n"
}

impl Scale {
    fn x(&self, minutes: f64) -> f64 {
        LEFT + minutes / self.minutes * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, mib: f64) -> f64 {
        HEIGHT - BOTTOM - mib / self.mib * (HEIGHT - TOP - BOTTOM)
    }

    /// Grid lines with their values, and what the axes show.
    fn axes(&self, picture: &mut String) {
        let (left, right, top, bottom) = (LEFT, WIDTH - RIGHT, self.y(self.mib), self.y(0.0));
        for mib in ticks(self.mib) {
            let y = self.y(mib);
            line(picture, [left, y, right, y], "#ddd");
            text(picture, left - 8.0, y + 4.0, "end", &mib.to_string());
        }
        for minutes in ticks(self.minutes) {
            let x = self.x(minutes);
            line(picture, [x, top, x, bottom], "#ddd");
            text(picture, x, bottom + 18.0, "middle", &minutes.to_string());
        }
        line(picture, [left, bottom, right, bottom], "black");
        line(picture, [left, top, left, bottom], "black");
        text(
            picture,
            f64::midpoint(left, right),
            HEIGHT - 12.0,
            "middle",
            "time in minutes",
        );
        let y = f64::midpoint(top, bottom);
        let turned = format!(
            r#"<text transform="translate(20 {y}) rotate(-90)" text-anchor="middle">memory in MiB</text>"#
        );
        picture.push_str(&turned);
    }

    fn line(
        &self,
        picture: &mut String,
        samples: &[Sample],
        name: &str,
        color: &str,
        place: f64,
        of: fn(&Sample) -> f64,
    ) {
        let point = |sample: &Sample| {
            format!(
                "{:.1},{:.1} ",
                self.x(sample.at / 60.0),
                self.y(of(sample) / MIB)
            )
        };
        let points: String = samples.iter().map(point).collect();
        let _ = writeln!(
            picture,
            r#"<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>"#
        );
        let x = WIDTH - RIGHT - 240.0 + 120.0 * place;
        let _ = writeln!(
            picture,
            r#"<rect x="{}" y="36" width="12" height="4" fill="{color}"/>"#,
            x - 18.0
        );
        text(picture, x, 42.0, "start", name);
    }
}

/// Round values from zero to `most`, some five of them.
fn ticks(most: f64) -> impl Iterator<Item = f64> {
    let rough = 10_f64.powf((most / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|times| times * rough)
        .into_iter()
        .find(|step| most / step <= 6.0);
    let step = step.unwrap_or(most);
    (0..)
        .map(move |tick| f64::from(tick) * step)
        .take_while(move |value| *value <= most)
}

fn line(picture: &mut String, [x1, y1, x2, y2]: [f64; 4], color: &str) {
    let _ = writeln!(
        picture,
        r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{color}"/>"#
    );
}

fn text(picture: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let _ = writeln!(
        picture,
        r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
    );
}
