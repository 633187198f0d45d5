// The rounds of loops that an invocation ran, where it may run only so many.

var<private> loop_rounds: u32;
// An ellipse ends before its next row where as many were run; then what is shaded is not to be used.
var<private> most_row_rounds: u32;
