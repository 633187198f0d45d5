// Defers quads that need anisotropic filtering, which this kernel does not implement.

// Set where the quad needs anisotropic filtering.
var<private> defers_anisotropy: bool;
