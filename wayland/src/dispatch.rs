//! Turns what an interface does into the implementation that the protocol library asks for.

/// Defines a global, and what it tells a program that binds it.
macro_rules! global {
    ($interface:ty) => {
        global!($interface, |_state, _bound| {});
    };
    ($interface:ty, |$state:ident, $bound:ident| $body:expr) => {
        impl wayland_server::GlobalDispatch<$interface, ()> for $crate::state::State {
            fn bind(
                $state: &mut Self,
                _: &wayland_server::DisplayHandle,
                _: &wayland_server::Client,
                new: wayland_server::New<$interface>,
                (): &(),
                init: &mut wayland_server::DataInit<'_, Self>,
            ) {
                let $bound = init.init(new, ());
                $body
            }
        }
    };
}

/// Defines what the requests of an interface do, and what the end of an object does; of an interface alone, every request
/// is accepted without an effect. Objects may have data.
macro_rules! requests {
    ($interface:ty) => {
        requests!($interface, |_state, _object, _request, _init| {});
    };
    (
        $interface:ty,
        |$state:ident, $object:ident, $request:ident, $init:ident| $body:expr
        $(, |$state_then:ident, $client:ident, $destroyed:ident| $end:expr)?
    ) => {
        requests!(
            $interface as (),
            |$state, $object, $request, _data, $init| $body
            $(, |$state_then, $client, $destroyed, _data| $end)?
        );
    };
    (
        $interface:ty as $data_type:ty,
        |$state:ident, $object:ident, $request:ident, $data:ident, $init:ident| $body:expr
        $(, |$state_then:ident, $client:ident, $destroyed:ident, $data_then:ident| $end:expr)?
    ) => {
        impl wayland_server::Dispatch<$interface, $data_type> for $crate::state::State {
            fn request(
                $state: &mut Self,
                _: &wayland_server::Client,
                $object: &$interface,
                $request: <$interface as wayland_server::Resource>::Request,
                $data: &$data_type,
                _: &wayland_server::DisplayHandle,
                $init: &mut wayland_server::DataInit<'_, Self>,
            ) {
                $body
            }
            $(
                fn destroyed(
                    $state_then: &mut Self,
                    $client: wayland_server::backend::ClientId,
                    $destroyed: &$interface,
                    $data_then: &$data_type,
                ) {
                    $end
                }
            )?
        }
    };
}

pub(crate) use {global, requests};
