#!/usr/bin/env python3
"""Turns a mesh of an npm package (`exports.positions = [...]; exports.cells = [...]`) into a .mesh file.

    npm pack teapot && tar xzf teapot-*.tgz
    convert_mesh.py package/teapot.js scenes/phong/teapot.mesh

Equal positions are joined, normals are the means of the triangles' normals by area, and the mesh is moved and scaled so
that it is centred and its farthest vertex is at distance 1. src/scene/mesh_file.rs describes the format.
"""
import json
import math
import re
import struct
import sys


def array(text, name):
    """The array that the script exports under a name."""
    match = re.search(r"exports\.%s\s*=\s*(\[\[.*?\]\])" % name, text, re.S)
    return json.loads(match.group(1))


def main(source, destination):
    text = open(source).read()
    positions, cells = array(text, "positions"), array(text, "cells")
    # Seams of the source are joined, so that shading is smooth across them.
    places, joined, number = {}, [], []
    for position in positions:
        key = tuple(round(value, 5) for value in position)
        if key not in places:
            places[key] = len(joined)
            joined.append(position)
        number.append(places[key])
    triangles = [[number[corner] for corner in cell] for cell in cells]
    triangles = [cell for cell in triangles if len(set(cell)) == 3]
    middle = [(min(p[i] for p in joined) + max(p[i] for p in joined)) / 2 for i in range(3)]
    moved = [[p[i] - middle[i] for i in range(3)] for p in joined]
    radius = max(math.dist(p, (0, 0, 0)) for p in moved)
    moved = [[value / radius for value in p] for p in moved]
    normals = [[0.0] * 3 for _ in moved]
    for cell in triangles:
        a, b, c = (moved[corner] for corner in cell)
        u, v = [b[i] - a[i] for i in range(3)], [c[i] - a[i] for i in range(3)]
        face = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        for corner in cell:
            normals[corner] = [normals[corner][i] + face[i] for i in range(3)]
    used = sorted({corner for cell in triangles for corner in cell})
    index = {old: new for new, old in enumerate(used)}
    with open(destination, "wb") as file:
        file.write(b"CURIMESH" + struct.pack("<II", len(used), len(triangles)))
        for old in used:
            length = math.hypot(*normals[old]) or 1.0
            file.write(struct.pack("<3h", *(round(value * 32767) for value in moved[old])))
            file.write(struct.pack("<3b", *(round(value / length * 127) for value in normals[old])))
        for cell in triangles:
            file.write(struct.pack("<3H", *(index[corner] for corner in cell)))


if __name__ == "__main__":
    main(*sys.argv[1:])
