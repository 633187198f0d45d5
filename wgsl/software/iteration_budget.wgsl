// The iteration budget of an invocation: how many loop iterations it ran.

var<private> loop_iterations: u32;
// Anisotropic filtering stops before its next row of texels at this number; the quad is then shaded again.
var<private> most_row_iterations: u32;
