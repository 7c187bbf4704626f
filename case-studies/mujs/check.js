// Goes through most of the library: whatever changes in the interpreter's memory, each line stays the same.
var o = {}, i, key, keys = [];
for (i = 0; i < 300; ++i) o["k" + i] = i;
for (i = 0; i < 300; i += 3) delete o["k" + i];
for (i = 0; i < 300; i += 9) o["k" + i] = -i;
for (key in o) keys.push(key + "=" + o[key]);
print(keys.length, keys.slice(0, 9).join(), keys.slice(-3).join());
print(JSON.stringify({ a: [1, 2, { b: null }], c: "x\ny", d: true }), JSON.parse('{"q":[1,{"r":2}]}').q[1].r);
print([3, 1, 2].sort().concat([9]).reverse().map(function (n) { return n * 2; }).filter(function (n) { return n > 2; }));
print("a-b-c".split("-").join("+"), "Hello".replace(/l+/g, "L"), "abc".charCodeAt(1), "x".concat("y", "z"));
print(/(\d+)-(\d+)/.exec("tel 12-34").slice(1).join("|"), new RegExp("a|b", "gi").test("B"));
function Shape(n) { this.n = n; }
Shape.prototype.area = function () { return this.n * this.n; };
function Square(n) { Shape.call(this, n); }
Square.prototype = Object.create(Shape.prototype);
print(new Square(7).area(), new Square(1) instanceof Shape, Object.keys(new Square(3)));
Object.defineProperty(o, "twice", { get: function () { return 2 * this.k1; }, set: function (v) { this.k1 = v; } });
o.twice = 21;
print(o.twice, Object.getOwnPropertyNames(o).length);
try { undefined.x; } catch (e) { print(e.name, e.message); }
try { throw { code: 5 }; } catch (e) { print(e.code); } finally { print("finally"); }
print(Math.max(1, 2, 3), Math.floor(2.7), (1e21).toString(), (255).toString(16), parseInt("0x1f"), parseFloat("3.5e2"));
var made = [];
for (i = 0; i < 20000; ++i) made[i % 50] = { i: i, of: [i], f: function () { return i; } };
print(made.length, made[49].i, made[0].of[0], made[7].f());
print(new Date(0).toISOString(), isNaN(NaN), typeof function () {}, void 0);
