//! Describes one method write as text: name, value, fields, names of enumerated values.

use std::fmt::{self, Write};

use super::methods::{Field, FieldKind, class_table, enums};
use super::packet::MethodWrite;

/// Writes a method as `subchannel class NAME[element] = value  field=…`; `class` is that of the subchannel's object.
#[must_use]
pub fn describe_method(class: Option<u32>, write: MethodWrite) -> String {
    let mut line = String::new();
    describe(&mut line, class, write).expect("writing into a string cannot fail");
    line
}

fn describe(line: &mut String, class: Option<u32>, write: MethodWrite) -> fmt::Result {
    match class {
        Some(class) => write!(line, "{} {class:04x} ", write.subchannel)?,
        None => write!(line, "{} ---- ", write.subchannel)?,
    }
    // The puller handles its methods whether or not an object is bound.
    let table = class_table(class.unwrap_or(0)).or_else(|| class_table(0x0030));
    let Some((row, element)) = table.and_then(|table| table.find(write.method)) else {
        return write!(line, "{:#06x} = {:#010x}  unknown method", write.method, write.value);
    };
    line.push_str(row.name);
    if row.count > 1 {
        write!(line, "[{element}]")?;
    }
    write!(line, " = {:#010x}", write.value)?;
    let mut separator = "  ";
    for field in row.fields {
        write!(line, "{separator}{}=", field.name)?;
        describe_field(line, field, write.value)?;
        separator = " ";
    }
    Ok(())
}

fn describe_field(line: &mut String, field: &Field, value: u32) -> fmt::Result {
    let bits = field.extract(value);
    match field.kind {
        FieldKind::Unsigned => write!(line, "{bits}"),
        FieldKind::Signed => {
            let unused = 31 - u32::from(field.high - field.low);
            write!(line, "{}", (bits << unused).cast_signed() >> unused)
        }
        FieldKind::Float => write!(line, "{}", f32::from_bits(bits)),
        FieldKind::Flag => write!(line, "{bits}"),
        FieldKind::Bits | FieldKind::Address | FieldKind::Handle => write!(line, "{bits:#x}"),
        FieldKind::Enum(names) => match enums::name_of(names, bits) {
            Some(name) => line.write_str(name),
            None => write!(line, "{bits:#x}?"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(class: Option<u32>, method: u16, value: u32) -> String {
        describe_method(class, MethodWrite { subchannel: 7, method, value, begins_packet: true })
    }

    #[test]
    fn fields_and_names() {
        assert_eq!(
            line(Some(0x4097), 0x208, 0x148),
            "7 4097 RT_FORMAT = 0x00000148  color=A8R8G8B8 zeta=Z24S8 layout=LINEAR multisample=X1 log2_width=0 \
             log2_height=0"
        );
        assert_eq!(line(Some(0x4097), 0x0a24, 0xbf00_0000), "7 4097 VIEWPORT_TRANSLATE_Y = 0xbf000000  y=-0.5");
        assert_eq!(line(Some(0x4097), 0x1908, 0xffff_0002), "7 4097 VTX_ATTR_2I[2] = 0xffff0002  x=2 y=-1");
        assert_eq!(line(Some(0x4097), 0x1808, 99), "7 4097 VERTEX_BEGIN_END = 0x00000063  primitive=0x63?");
    }

    #[test]
    fn unknown_classes_and_methods() {
        assert_eq!(line(None, 0, 5), "7 ---- OBJECT = 0x00000005  object=0x5");
        assert_eq!(line(Some(0x1234), 0x200, 5), "7 1234 0x0200 = 0x00000005  unknown method");
    }
}
