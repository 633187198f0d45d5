//! Every class with a notifier writes it.

use curie::capture::Record;
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::CLASSES;

use super::{run, words};

/// After `NOTIFY`, the next method writes sixteen bytes: time in two words, information, status 0 for done.
#[test]
fn every_class_writes_its_notifier() {
    let mut found = 0;
    for table in CLASSES {
        let methods: Vec<_> = table.blocks.iter().flat_map(|block| block.iter()).collect();
        let address = |name: &str| methods.iter().find(|method| method.name == name).map(|method| method.address);
        let (Some(object), Some(notify), Some(nop)) = (address("DMA_NOTIFY"), address("NOTIFY"), address("NOP")) else {
            continue;
        };
        let written = |sends: bool| {
            let mut builder = CaptureBuilder::new();
            builder.record(Record::Object { handle: handles::object(table.class), class: table.class });
            let mut stream = StreamBuilder::new();
            stream.bind(6, table.class, handles::object(table.class));
            stream.method(6, object, handles::NOTIFIER);
            if sends {
                stream.method(6, notify, 0);
            }
            stream.method(6, nop, 0);
            builder.submit(stream);
            // The notifier follows the fence in the builder's first buffer.
            words(&run(&builder.finish(), 0).reports[0x20..0x30])
        };
        let [low, high, information, status] = written(true)[..] else { panic!("four words") };
        assert!(low > 0 && low % 10 == 0, "{}: time is in steps of ten nanoseconds", table.name);
        assert_eq!([high, information, status], [0; 3], "{}", table.name);
        assert_eq!(written(false), [0; 4], "{}", table.name);
        found += 1;
    }
    assert!(found >= 15, "{found} classes");
}
