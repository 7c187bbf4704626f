use std::collections::HashMap;
use std::fs::File;
use std::io::BufWriter;

use color_quant::NeuQuant;

use crate::{Failure, Picture, Stage};

/// Pictures one after the other, for an animated PNG of 256 colours.
#[derive(Debug)]
pub struct Animation {
    size: (usize, usize),
    per_second: u16,
    frames: Vec<Vec<u8>>,
}

impl Animation {
    /// An animation of pictures of this size, so many in a second.
    #[must_use]
    pub fn new((width, height): (usize, usize), per_second: u16) -> Self {
        Self { size: (width, height), per_second, frames: Vec::new() }
    }

    /// Adds a picture.
    ///
    /// # Panics
    ///
    /// If the picture has another size.
    pub fn push(&mut self, picture: &Picture) {
        assert_eq!(picture.size(), self.size);
        self.frames.push(picture.to_rgb());
    }

    /// Writes the animation as an animated PNG file, which runs for ever.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn save(&self, stage: &Stage, name: &str) -> Result<(), Failure> {
        let palette = Palette::of(&self.frames);
        stage.write(name, |path| -> Result<(), png::EncodingError> {
            let file = BufWriter::new(File::create(path)?);
            let (width, height) = (self.size.0 as u32, self.size.1 as u32);
            let mut encoder = png::Encoder::new(file, width, height);
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(palette.quant.color_map_rgb());
            encoder.set_compression(png::Compression::High);
            encoder.set_filter(png::Filter::NoFilter);
            encoder.set_animated(self.frames.len() as u32, 0)?;
            encoder.set_frame_delay(1, self.per_second)?;
            let mut writer = encoder.write_header()?;
            let mut known = HashMap::new();
            for frame in &self.frames {
                writer.write_image_data(&palette.indices(frame, &mut known))?;
            }
            writer.finish()
        })
    }
}

struct Palette {
    quant: NeuQuant,
}

impl Palette {
    /// The 256 colours that come nearest to those of all frames.
    fn of(frames: &[Vec<u8>]) -> Self {
        let every = frames.len().div_ceil(12).max(1);
        let seen = frames.iter().step_by(every).flat_map(|frame| frame.chunks_exact(3));
        let rgba: Vec<u8> =
            seen.flat_map(|color| [color[0], color[1], color[2], u8::MAX]).collect();
        Self { quant: NeuQuant::new(10, 256, &rgba) }
    }

    fn indices(&self, rgb: &[u8], known: &mut HashMap<[u8; 3], u8>) -> Vec<u8> {
        let index = |color: &[u8]| {
            let [red, green, blue] = [color[0], color[1], color[2]];
            let find = || self.quant.index_of(&[red, green, blue, u8::MAX]) as u8;
            *known.entry([red, green, blue]).or_insert_with(find)
        };
        rgb.chunks_exact(3).map(index).collect()
    }
}
