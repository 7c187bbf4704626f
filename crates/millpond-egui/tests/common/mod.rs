//! A renderer of a few lines: what egui wants drawn, as pixels, without a screen.

use egui::epaint::{ImageDelta, Primitive, Vertex};
use egui::{ClippedPrimitive, Color32, Context, FullOutput, ImageData, Mesh, Rect, TextureId};
use std::collections::HashMap;

/// Pixels, row by row.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<Color32>,
}

/// The textures that egui has sent so far.
#[derive(Default)]
pub(crate) struct Renderer {
    textures: HashMap<TextureId, (usize, Vec<Color32>)>,
}

impl Renderer {
    pub(crate) fn picture(
        &mut self,
        context: &Context,
        output: FullOutput,
        size: [usize; 2],
    ) -> Picture {
        self.update_all(&output);
        let background = Color32::from_rgb(16, 16, 20);
        let [width, height] = size;
        let mut picture = Picture { width, height, pixels: vec![background; width * height] };
        for ClippedPrimitive { clip_rect, primitive } in
            context.tessellate(output.shapes, output.pixels_per_point)
        {
            if let Primitive::Mesh(mesh) = primitive {
                self.draw(&mut picture, &mesh, clip_rect);
            }
        }
        picture
    }

    /// Takes in the textures that come with a frame, which may not be left out.
    pub(crate) fn update_all(&mut self, output: &FullOutput) {
        for (id, delta) in &output.textures_delta.set {
            self.update(*id, delta);
        }
    }

    fn update(&mut self, id: TextureId, delta: &ImageDelta) {
        let ImageData::Color(image) = &delta.image;
        let [width, height] = image.size;
        match delta.pos {
            None => drop(self.textures.insert(id, (width, image.pixels.clone()))),
            Some([left, top]) => {
                let (texture_width, texture) = self.textures.get_mut(&id).unwrap();
                for row in 0..height {
                    let to = (top + row) * *texture_width + left;
                    let from = row * width;
                    texture[to..to + width].copy_from_slice(&image.pixels[from..from + width]);
                }
            }
        }
    }

    fn draw(&self, picture: &mut Picture, mesh: &Mesh, clip: Rect) {
        let (width, texture) = &self.textures[&mesh.texture_id];
        for triangle in mesh.indices.chunks_exact(3) {
            let corners = [0, 1, 2].map(|corner| mesh.vertices[triangle[corner] as usize]);
            self.triangle(picture, corners, clip, *width, texture);
        }
    }

    fn triangle(
        &self,
        picture: &mut Picture,
        [a, b, c]: [Vertex; 3],
        clip: Rect,
        texture_width: usize,
        texture: &[Color32],
    ) {
        let area = (b.pos - a.pos).rot90().dot(c.pos - a.pos);
        if area == 0.0 {
            return;
        }
        let bounds = Rect::from_points(&[a.pos, b.pos, c.pos]).intersect(clip);
        let range = |low: f32, high: f32, end: usize| {
            low.floor().max(0.0) as usize..(high.ceil().max(0.0) as usize).min(end)
        };
        for y in range(bounds.min.y, bounds.max.y, picture.height) {
            for x in range(bounds.min.x, bounds.max.x, picture.width) {
                let at = egui::pos2(x as f32 + 0.5, y as f32 + 0.5);
                let wa = (b.pos - at).rot90().dot(c.pos - at) / area;
                let wb = (c.pos - at).rot90().dot(a.pos - at) / area;
                let wc = 1.0 - wa - wb;
                if wa < 0.0 || wb < 0.0 || wc < 0.0 || !clip.contains(at) {
                    continue;
                }
                let uv =
                    (a.uv.to_vec2() * wa + b.uv.to_vec2() * wb + c.uv.to_vec2() * wc).to_pos2();
                let texture_height = texture.len() / texture_width;
                let u = ((uv.x * texture_width as f32) as usize).min(texture_width - 1);
                let v = ((uv.y * texture_height as f32) as usize).min(texture_height - 1);
                let texel = texture[v * texture_width + u].to_array();
                let colours = [a, b, c].map(|corner| corner.color.to_array());
                // Premultiplied colours: source over destination.
                let source = [0, 1, 2, 3].map(|i| {
                    let vertex = f32::from(colours[0][i]) * wa
                        + f32::from(colours[1][i]) * wb
                        + f32::from(colours[2][i]) * wc;
                    vertex * f32::from(texel[i]) / 255.0
                });
                let pixel = &mut picture.pixels[y * picture.width + x];
                let below = pixel.to_array();
                let mixed = [0, 1, 2].map(|i| {
                    (source[i] + f32::from(below[i]) * (1.0 - source[3] / 255.0)).round() as u8
                });
                *pixel = Color32::from_rgb(mixed[0], mixed[1], mixed[2]);
            }
        }
    }
}

impl Picture {
    pub(crate) fn count(&self, is_counted: impl Fn(Color32) -> bool) -> usize {
        self.pixels.iter().filter(|&&pixel| is_counted(pixel)).count()
    }

    pub(crate) fn save(&self, path: &std::path::Path) {
        let file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        let bytes: Vec<u8> =
            self.pixels.iter().flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()]).collect();
        encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
    }
}
