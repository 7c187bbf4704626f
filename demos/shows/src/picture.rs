use std::fs::File;
use std::io::BufWriter;
use std::sync::Once;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, RGBAColor, register_font};

use crate::chart::{Area, Chart};
use crate::colors::BACKGROUND;
use crate::{Failure, Stage};

/// It is painted so many times larger each way, and made small at the end: that smooths the edges.
const SCALE: usize = 2;

/// A picture, painted with coordinates in pixels from the upper left corner.
#[derive(Clone, Debug)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    /// An empty picture.
    #[must_use]
    pub fn new(width: usize, height: usize) -> Self {
        static FONT: Once = Once::new();
        FONT.call_once(|| {
            let font = epaint_default_fonts::UBUNTU_LIGHT;
            if register_font("sans-serif", FontStyle::Normal, font).is_err() {
                panic!("the font that comes with the program cannot be read");
            }
        });
        let RGBColor(red, green, blue) = BACKGROUND;
        Self { width, height, pixels: [red, green, blue].repeat(width * height * SCALE * SCALE) }
    }

    /// Width and height in pixels.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, at: [f32; 2], size: [f32; 2], color: impl Into<RGBAColor>) {
        let corners = [at, [at[0] + size[0], at[1] + size[1]]].map(scaled);
        self.paint(&Rectangle::new(corners, color.into().filled()));
    }

    /// The frame of a rectangle.
    pub fn frame(&mut self, at: [f32; 2], size: [f32; 2], width: f32, color: impl Into<RGBAColor>) {
        let color = color.into();
        self.rectangle(at, [size[0], width], color);
        self.rectangle([at[0], at[1] + size[1] - width], [size[0], width], color);
        self.rectangle([at[0], at[1] + width], [width, size[1] - 2.0 * width], color);
        let right = at[0] + size[0] - width;
        self.rectangle([right, at[1] + width], [width, size[1] - 2.0 * width], color);
    }

    /// A filled circle.
    pub fn disc(&mut self, center: [f32; 2], radius: f32, color: impl Into<RGBAColor>) {
        let radius = (radius * SCALE as f32).round() as i32;
        self.paint(&Circle::new(scaled(center), radius, color.into().filled()));
    }

    /// A line from point to point.
    pub fn line(&mut self, points: &[[f32; 2]], width: f32, color: impl Into<RGBAColor>) {
        let points: Vec<(i32, i32)> = points.iter().copied().map(scaled).collect();
        let width = (width * SCALE as f32).round() as u32;
        self.paint(&PathElement::new(points, color.into().stroke_width(width)));
    }

    /// A filled shape with these corners.
    pub fn polygon(&mut self, corners: &[[f32; 2]], color: impl Into<RGBAColor>) {
        let corners: Vec<(i32, i32)> = corners.iter().copied().map(scaled).collect();
        self.paint(&Polygon::new(corners, color.into()));
    }

    /// A line of text; `at` is the left end of the line on which its letters stand.
    pub fn text(&mut self, at: [f32; 2], size: f32, color: impl Into<RGBAColor>, text: &str) {
        self.write(at, size, color.into(), text, HPos::Left);
    }

    /// A line of text; `at` is the right end of the line on which its letters stand.
    pub fn text_right(&mut self, at: [f32; 2], size: f32, color: impl Into<RGBAColor>, text: &str) {
        self.write(at, size, color.into(), text, HPos::Right);
    }

    fn write(&mut self, at: [f32; 2], size: f32, color: RGBAColor, text: &str, side: HPos) {
        let size = f64::from(size) * SCALE as f64;
        let style = TextStyle::from(("sans-serif", size).into_font())
            .color(&color)
            .pos(Pos::new(side, VPos::Bottom));
        self.paint(&Text::new(text.to_owned(), scaled(at), style));
    }

    /// Pixels in rows of `width`, painted as they are.
    pub fn pixels(&mut self, at: [usize; 2], width: usize, pixels: &[[u8; 3]]) {
        for (number, &pixel) in pixels.iter().enumerate() {
            let (x, y) = (at[0] + number % width, at[1] + number / width);
            for row in 0..SCALE {
                let start = ((y * SCALE + row) * self.width + x) * SCALE;
                self.pixels[start * 3..][..SCALE * 3].copy_from_slice(&pixel.repeat(SCALE));
            }
        }
    }

    /// A chart in a part of the picture.
    pub fn chart(&mut self, at: [usize; 2], size: [usize; 2], chart: &Chart<'_>) {
        let [at, size] = [at, size].map(|[x, y]| ((x * SCALE) as u32, (y * SCALE) as u32));
        let area = self.area().shrink(at, size);
        chart.draw(&area, SCALE as f64).expect("drawing into memory cannot fail");
    }

    /// The pixels: red, green, blue, from the upper left corner on.
    #[must_use]
    pub fn to_rgb(&self) -> Vec<u8> {
        let mut rgb = Vec::with_capacity(self.width * self.height * 3);
        let row_bytes = self.width * SCALE * 3;
        for rows in self.pixels.chunks_exact(row_bytes * SCALE) {
            for x in 0..self.width {
                for channel in 0..3 {
                    let samples = rows.chunks_exact(row_bytes).flat_map(|row| {
                        (0..SCALE).map(move |sample| row[(x * SCALE + sample) * 3 + channel])
                    });
                    rgb.push((samples.map(usize::from).sum::<usize>() / (SCALE * SCALE)) as u8);
                }
            }
        }
        rgb
    }

    /// Writes the picture as a PNG file.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn save(&self, stage: &Stage, name: &str) -> Result<(), Failure> {
        stage.write(name, |path| -> Result<(), png::EncodingError> {
            let file = BufWriter::new(File::create(path)?);
            let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_compression(png::Compression::High);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&self.to_rgb())?;
            writer.finish()
        })
    }

    fn area(&mut self) -> Area<'_> {
        let size = ((self.width * SCALE) as u32, (self.height * SCALE) as u32);
        BitMapBackend::with_buffer(&mut self.pixels, size).into_drawing_area()
    }

    fn paint<'a, E>(&'a mut self, element: &'a E)
    where
        E: plotters::element::Drawable<BitMapBackend<'a>>,
        for<'b> &'b E: plotters::element::PointCollection<'b, (i32, i32)>,
    {
        self.area().draw(element).expect("drawing into memory cannot fail");
    }
}

fn scaled(at: [f32; 2]) -> (i32, i32) {
    let [x, y] = at.map(|coordinate| (coordinate * SCALE as f32).round() as i32);
    (x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangle() {
        let mut picture = Picture::new(4, 3);
        picture.rectangle([1.0, 1.0], [2.0, 1.0], RGBColor(255, 0, 0));
        let red = picture.to_rgb().chunks_exact(3).map(|pixel| pixel[0] == 255).collect::<Vec<_>>();
        let (no, yes) = (false, true);
        assert_eq!(red, [no, no, no, no, no, yes, yes, no, no, no, no, no]);
    }

    #[test]
    fn pixels() {
        let mut picture = Picture::new(3, 3);
        let seen = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]];
        picture.pixels([1, 1], 2, &seen);
        let rgb = picture.to_rgb();
        assert_eq!(rgb[12..18], [1, 2, 3, 4, 5, 6]);
        assert_eq!(rgb[21..27], [7, 8, 9, 10, 11, 12]);
    }
}
