//! What egui wants drawn, as pixels, without a screen or a graphics card: for tests, and for pictures that
//! are the same on every machine.
//!
//! It draws triangles, one after the other, with the nearest texel: enough for text and shapes that lie on
//! whole pixels.

use std::collections::HashMap;
use std::path::Path;

use egui::epaint::textures::TexturesDelta;
use egui::epaint::{ImageDelta, Primitive, Vertex};
use egui::{ClippedPrimitive, Color32, Context, FullOutput, ImageData, Mesh, Rect, TextureId};

/// Pixels, row by row.
#[derive(Debug)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<Color32>,
}

impl Picture {
    /// The pixels, row by row.
    #[must_use]
    pub fn pixels(&self) -> &[Color32] {
        &self.pixels
    }

    /// How many pixels are counted.
    pub fn count(&self, is_counted: impl Fn(Color32) -> bool) -> usize {
        self.pixels.iter().filter(|&&pixel| is_counted(pixel)).count()
    }

    /// Writes the picture as a PNG file.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), png::EncodingError> {
        let file = std::io::BufWriter::new(std::fs::File::create(path)?);
        let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        let bytes: Vec<u8> =
            self.pixels.iter().flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()]).collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&bytes)?;
        writer.finish()
    }
}

struct Texture {
    width: usize,
    texels: Vec<Color32>,
}

impl Texture {
    /// The texel at a place from 0 to 1 in both directions.
    fn at(&self, u: f32, v: f32) -> Color32 {
        let nearest =
            |share: f32, texels: usize| ((share * texels as f32) as usize).min(texels - 1);
        let height = self.texels.len() / self.width;
        self.texels[nearest(v, height) * self.width + nearest(u, self.width)]
    }
}

/// The textures that egui has sent so far, and what draws with them.
#[derive(Default)]
pub struct Renderer {
    textures: HashMap<TextureId, Texture>,
}

impl std::fmt::Debug for Renderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renderer").field("textures", &self.textures.len()).finish()
    }
}

impl Renderer {
    /// Takes in the textures that come with a frame, and no frame's may be left out.
    pub fn take(&mut self, textures: &mut TexturesDelta) {
        for (id, deltas) in textures.set.drain() {
            deltas.iter().for_each(|delta| self.update(id, delta));
        }
        for id in textures.free.drain() {
            self.textures.remove(&id);
        }
    }

    fn update(&mut self, id: TextureId, delta: &ImageDelta) {
        let ImageData::Color(image) = &delta.image;
        let [width, height] = image.size;
        match (delta.pos, self.textures.get_mut(&id)) {
            (Some([left, top]), Some(texture)) => {
                for row in 0..height {
                    let (to, from) = ((top + row) * texture.width + left, row * width);
                    texture.texels[to..to + width]
                        .copy_from_slice(&image.pixels[from..from + width]);
                }
            }
            _ => drop(self.textures.insert(id, Texture { width, texels: image.pixels.clone() })),
        }
    }

    /// Draws a frame whose textures were [taken](Self::take), so many points wide and high.
    #[must_use]
    pub fn draw(&self, context: &Context, output: &FullOutput, points: [usize; 2]) -> Picture {
        let scale = output.pixels_per_point;
        let [width, height] = points.map(|side| (side as f32 * scale).round() as usize);
        let mut picture = Picture { width, height, pixels: vec![Color32::BLACK; width * height] };
        for ClippedPrimitive { clip_rect, primitive } in
            context.tessellate(output.shapes.clone(), scale)
        {
            if let Primitive::Mesh(mesh) = primitive {
                self.mesh(&mut picture, &mesh, clip_rect * scale, scale);
            }
        }
        picture
    }

    fn mesh(&self, picture: &mut Picture, mesh: &Mesh, clip: Rect, scale: f32) {
        let Some(texture) = self.textures.get(&mesh.texture_id) else {
            return;
        };
        for triangle in mesh.indices.chunks_exact(3) {
            let corners = [0, 1, 2].map(|corner| {
                let vertex = mesh.vertices[triangle[corner] as usize];
                Vertex { pos: vertex.pos * scale, ..vertex }
            });
            fill(picture, corners, clip, texture);
        }
    }
}

/// Fills a triangle: the pixels whose middles lie in it.
fn fill(picture: &mut Picture, [a, b, c]: [Vertex; 3], clip: Rect, texture: &Texture) {
    let area = (b.pos - a.pos).rot90().dot(c.pos - a.pos);
    if area == 0.0 {
        return;
    }
    let colours = [a, b, c].map(|corner| corner.color.to_array().map(f32::from));
    let bounds = Rect::from_points(&[a.pos, b.pos, c.pos]).intersect(clip);
    let range = |low: f32, high: f32, end: usize| {
        low.floor().max(0.0) as usize..(high.ceil().max(0.0) as usize).min(end)
    };
    for y in range(bounds.min.y, bounds.max.y, picture.height) {
        for x in range(bounds.min.x, bounds.max.x, picture.width) {
            let at = egui::pos2(x as f32 + 0.5, y as f32 + 0.5);
            // How much each corner has of this pixel: together 1. On an edge that two triangles share, one
            // is exactly the other's with the sign changed, so that no pixel between them is left out.
            let share = |from: Vertex, to: Vertex| (from.pos - at).rot90().dot(to.pos - at) / area;
            let (of_a, of_b, of_c) = (share(b, c), share(c, a), share(a, b));
            if of_a < 0.0 || of_b < 0.0 || of_c < 0.0 || !clip.contains(at) {
                continue;
            }
            let uv = a.uv.to_vec2() * of_a + b.uv.to_vec2() * of_b + c.uv.to_vec2() * of_c;
            let texel = texture.at(uv.x, uv.y).to_array();
            // Premultiplied colours: source over destination.
            let source = [0, 1, 2, 3].map(|part| {
                let corners =
                    colours[0][part] * of_a + colours[1][part] * of_b + colours[2][part] * of_c;
                corners * f32::from(texel[part]) / 255.0
            });
            let pixel = &mut picture.pixels[y * picture.width + x];
            let below = pixel.to_array();
            let [r, g, b] = [0, 1, 2].map(|part| {
                let behind = f32::from(below[part]) * (1.0 - source[3] / 255.0);
                (source[part] + behind).round().min(255.0) as u8
            });
            *pixel = Color32::from_rgb(r, g, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Mesh, RawInput, Shape, pos2, vec2};

    #[test]
    fn triangles_that_share_edges_leave_no_pixel_out() {
        let size = [97, 61];
        let place = Rect::from_min_size(egui::Pos2::ZERO, vec2(97.0, 61.0));
        let context = Context::default();
        let input = RawInput { screen_rect: Some(place), ..RawInput::default() };
        let mut renderer = Renderer::default();
        let mut output = context.run_ui(input, |ui| {
            // A fan around a point: edges in all directions.
            let mut mesh = Mesh::default();
            mesh.colored_vertex(pos2(33.3, 27.7), Color32::WHITE);
            let corner = |number: usize| {
                let along = number as f32 / 10.0;
                match number {
                    0..10 => pos2(97.0 * along, 0.0),
                    10..20 => pos2(97.0, 61.0 * (along - 1.0)),
                    20..30 => pos2(97.0 * (3.0 - along), 61.0),
                    _ => pos2(0.0, 61.0 * (4.0 - along)),
                }
            };
            for number in 0..40 {
                mesh.colored_vertex(corner(number), Color32::WHITE);
                mesh.add_triangle(0, 1 + number as u32, 1 + (number as u32 + 1) % 40);
            }
            ui.painter().with_clip_rect(place).add(Shape::mesh(mesh));
        });
        renderer.take(&mut output.textures_delta);
        let picture = renderer.draw(&context, &output, size);
        assert_eq!(picture.count(|pixel| pixel == Color32::WHITE), 97 * 61);
    }
}
