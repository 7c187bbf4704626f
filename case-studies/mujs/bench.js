// Objects, arrays, closures and texts, as scripts of a game make them in each frame.
function entity(n) {
	return { x: n % 97, y: n % 89, dx: 1, dy: 2, name: "entity" + n, tags: [n, n + 1, n + 2] };
}
function counter(from) {
	return function () { return from += 1; };
}
var sum = 0, i, frame, all, of;
for (frame = 0; frame < 60; ++frame) {
	all = [];
	for (i = 0; i < 400; ++i) {
		of = entity(frame * 400 + i);
		of.x += of.dx;
		of.y += of.dy;
		of.next = counter(i);
		all.push(of);
	}
	all.sort(function (a, b) { return a.x - b.x || a.y - b.y; });
	for (i = 0; i < all.length; ++i)
		sum += all[i].next() + all[i].name.length + all[i].tags[2];
	delete all[0].tags;
}
print(sum);
