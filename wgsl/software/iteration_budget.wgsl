// Counts an invocation's loop iterations against its iteration budget.

var<private> loop_iterations: u32;
// Anisotropic filtering stops before its next row of texels at this count; the quad is then shaded again.
var<private> most_row_iterations: u32;
