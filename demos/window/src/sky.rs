//! The sparks in the sky, and again in the water.

use eframe::egui::{Color32, Mesh, Pos2, Rect, Sense, Shape, Ui, Vec2, pos2, vec2};

use crate::world::World;

/// Where the water begins, in heights of the window.
const SHORE: f32 = 0.80;
/// How much lower things are in the water than in the sky.
const FLATTENED: f32 = 0.25;

const ZENITH: Color32 = Color32::from_rgb(5, 6, 16);
const HORIZON: Color32 = Color32::from_rgb(26, 30, 58);
const SHALLOW: Color32 = Color32::from_rgb(18, 21, 41);
const DEEP: Color32 = Color32::from_rgb(7, 9, 20);

/// Draws the world into all of the room that there is, and tells it how wide that is.
pub(crate) fn draw(ui: &mut Ui, world: &mut World) {
    let (place, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    let shore = place.min.y + place.height() * SHORE;
    let sky = Rect::from_min_max(place.min, pos2(place.max.x, shore));
    let water = Rect::from_min_max(pos2(place.min.x, shore), place.max);
    world.width = sky.width() / sky.height().max(1.0);

    let painter = ui.painter_at(place);
    let mut mesh = Mesh::default();
    fade(&mut mesh, sky, ZENITH, HORIZON);
    fade(&mut mesh, water, SHALLOW, DEEP);
    painter.add(Shape::mesh(mesh));

    let (mut above, mut below) = (Mesh::default(), Mesh::default());
    for (_, spark) in world.sparks().iter() {
        let at = sky.min + Vec2::from(spark.position) * sky.height();
        let tail = at - Vec2::from(spark.speed) * sky.height() * 7.0;
        let light = spark.brightness().powf(0.7);
        light_up(&mut above, at, tail, spark.colour, light);
        let mirrored = |at: Pos2| {
            let y = shore + (shore - at.y) * FLATTENED;
            let wave = (y * 0.55 + world.ticks as f32 * 0.06).sin();
            pos2(at.x + wave * (1.0 + (y - shore) * 0.02), y)
        };
        light_up(&mut below, mirrored(at), mirrored(tail), spark.colour, light * 0.4);
    }
    painter.with_clip_rect(sky).add(Shape::mesh(above));
    painter.with_clip_rect(water).add(Shape::mesh(below));
}

/// A rectangle, from one colour above to another below.
fn fade(mesh: &mut Mesh, place: Rect, above: Color32, below: Color32) {
    let first = mesh.vertices.len() as u32;
    mesh.colored_vertex(place.left_top(), above);
    mesh.colored_vertex(place.right_top(), above);
    mesh.colored_vertex(place.left_bottom(), below);
    mesh.colored_vertex(place.right_bottom(), below);
    mesh.add_triangle(first, first + 1, first + 2);
    mesh.add_triangle(first + 1, first + 2, first + 3);
}

/// A spark: a bright middle, a glow, and a tail to where it was. Its light adds to what is behind it.
fn light_up(mesh: &mut Mesh, at: Pos2, tail: Pos2, colour: [f32; 3], light: f32) {
    let added = |share: f32| {
        let [r, g, b] = colour.map(|part| (part * share * light * 255.0) as u8);
        Color32::from_rgba_premultiplied(r, g, b, 0)
    };
    let first = mesh.vertices.len() as u32;
    let (glow, dark) = (5.0, Color32::TRANSPARENT);
    mesh.colored_vertex(at, added(0.55));
    for side in [vec2(glow, 0.0), vec2(0.0, glow), vec2(-glow, 0.0), vec2(0.0, -glow)] {
        mesh.colored_vertex(at + side, dark);
    }
    for side in 0..4 {
        mesh.add_triangle(first, first + 1 + side, first + 1 + (side + 1) % 4);
    }
    let across = (at - tail).normalized().rot90() * 0.8;
    let first = mesh.vertices.len() as u32;
    mesh.colored_vertex(at + across, added(0.7));
    mesh.colored_vertex(at - across, added(0.7));
    mesh.colored_vertex(tail, dark);
    mesh.add_triangle(first, first + 1, first + 2);
    mesh.add_colored_rect(Rect::from_center_size(at, Vec2::splat(1.8)), added(1.0));
}
