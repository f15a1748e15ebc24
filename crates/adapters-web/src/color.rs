use std::fmt;

/// The contrast that text must have to its background: WCAG 2.2, level AA.
const CONTRAST_MIN: f64 = 4.5;
/// The backgrounds of the console on which the accent is text: the one with the least contrast of each scheme. They are
/// `--sunken` in `web/styles/page.css`.
const LIGHT_BACKGROUND: Rgb = Rgb([0xEF, 0xF2, 0xF0]);
const DARK_BACKGROUND: Rgb = Rgb([0x1E, 0x25, 0x22]);
const WHITE: Rgb = Rgb([0xFF; 3]);
const BLACK: Rgb = Rgb([0; 3]);
/// How far a colour moves towards white or black in one step.
const STEP: f64 = 0.05;

/// The colour of the portal, dark enough to be read on a light page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortalColor(Rgb);

/// A colour of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rgb([u8; 3]);

/// The colours of one scheme, in the order of [`Palette::NAMES`].
pub(crate) struct Palette([Rgb; 3]);

impl PortalColor {
    /// The allowed values, to follow "must be".
    pub const ALLOWED: &str = "a colour such as #0b6b4f that is dark enough to read on the light pages of the console: a \
        contrast of 4.5 to 1, as WCAG 2.2 AA requires";

    /// Reads `#rrggbb`; `None` if it is something else, or too light.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        // `from_str_radix` takes a sign.
        let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let color = Rgb([byte(0)?, byte(2)?, byte(4)?]);
        (is_hexadecimal && color.contrast(LIGHT_BACKGROUND) >= CONTRAST_MIN).then_some(Self(color))
    }

    /// The colours on light pages.
    pub(crate) fn on_light(self) -> Palette {
        Palette([self.0, self.0.towards(BLACK, 0.25), WHITE])
    }

    /// The colours on dark pages: as light as they must be to be read.
    pub(crate) fn on_dark(self) -> Palette {
        let lighter = (0..=20).map(|step| self.0.towards(WHITE, f64::from(step) * STEP));
        let accent = lighter.into_iter().find(|color| color.contrast(DARK_BACKGROUND) >= CONTRAST_MIN);
        let accent = accent.unwrap_or(WHITE);
        Palette([accent, accent.towards(WHITE, 0.35), Rgb([0x0F, 0x14, 0x12])])
    }
}

impl fmt::Display for PortalColor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Palette {
    /// The custom properties of `web/styles/page.css`.
    const NAMES: [&str; 3] = ["accent", "accent-strong", "on-accent"];

    /// The names of the custom properties, and their values.
    pub(crate) fn properties(&self) -> impl Iterator<Item = (&'static str, String)> {
        Self::NAMES.into_iter().zip(self.0).map(|(name, color)| (name, color.to_string()))
    }
}

impl Rgb {
    /// The contrast of two colours, from 1 to 21 (WCAG 2.2).
    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// The relative luminance, from 0 to 1 (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = |byte: u8| {
            let value = f64::from(byte) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The colour on the way to another one: at 0 this one, at 1 the other.
    fn towards(self, other: Self, part: f64) -> Self {
        let [red, green, blue] = [0, 1, 2].map(|at| between(self.0[at], other.0[at], part));
        Self([red, green, blue])
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a value between two bytes is a byte")]
fn between(from: u8, to: u8, part: f64) -> u8 {
    (f64::from(from) + (f64::from(to) - f64::from(from)) * part).round() as u8
}

impl fmt::Display for Rgb {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(formatter, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_that_cannot_be_read_is_refused() {
        for dark in ["#000000", "#0b6b4f", "#B0261C", "#1b5aa8", "#6f2da8", "#595959"] {
            assert_eq!(PortalColor::parse(dark).map(|color| color.to_string()), Some(dark.to_lowercase()));
        }
        // #767676 is readable on white, and not on the darkest part of a light page.
        for light in ["#ffffff", "#ffcc00", "#62cfa7", "#808080", "#767676"] {
            assert_eq!(PortalColor::parse(light), None, "{light}");
        }
        for wrong in ["", "#", "red", "0b6b4f", "#0b6b4", "#0b6b4f0", "#0b6bé", "#+b6b4f", "rgb(1,2,3)"] {
            assert_eq!(PortalColor::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn contrasts_are_those_of_the_standard() {
        assert!((WHITE.contrast(BLACK) - 21.0).abs() < 0.001);
        // The darkest grey that fails on white is #777777, as the standard's own tools say.
        assert!((Rgb([0x76; 3]).contrast(WHITE) - 4.54).abs() < 0.01);
        assert!((Rgb([0x77; 3]).contrast(WHITE) - 4.48).abs() < 0.01);
    }

    #[test]
    fn every_palette_can_be_read() {
        for color in ["#000000", "#0b6b4f", "#b0261c", "#0000ff", "#6f2da8", "#595959"] {
            let color = PortalColor::parse(color).unwrap();
            for (palette, background) in [(color.on_light(), LIGHT_BACKGROUND), (color.on_dark(), DARK_BACKGROUND)] {
                let Palette([accent, strong, on_accent]) = palette;
                for text in [accent, strong] {
                    assert!(text.contrast(background) >= CONTRAST_MIN, "{color}: {text} on {background}");
                    assert!(on_accent.contrast(text) >= CONTRAST_MIN, "{color}: {on_accent} on {text}");
                }
            }
        }
    }

    /// The backgrounds are copies of custom properties, because a binary does not read a style sheet.
    #[test]
    fn the_backgrounds_are_those_of_the_style_sheet() {
        let sheet = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/styles/page.css")).unwrap();
        let sunken: Vec<&str> = sheet.lines().filter_map(|line| line.trim().strip_prefix("--sunken: ")).collect();
        assert_eq!(sunken, [format!("{LIGHT_BACKGROUND};"), format!("{DARK_BACKGROUND};")]);
    }
}
