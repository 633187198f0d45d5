// What a kernel that averages no ellipses of texels has to leave to another.

// Whether a pixel of the quad averages one.
var<private> has_ellipses: bool;
