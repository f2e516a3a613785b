"""Our own pictograms: SVG bodies in a box of 100 x 100, black ink, for signs that icon packages lack or draw otherwise.

`{w}` is the line width. Several drawings of one class are variants. Safety signs follow the geometry of the public
ISO 7010 descriptions (W012: a thin bolt that ends in an arrow tip); they are drawn anew, not traced.
"""

from __future__ import annotations

_LINES = '<g fill="none" stroke="#000" stroke-width="{w}" stroke-linecap="round" stroke-linejoin="round">'


def _man(x: float, scale: float = 1.0) -> str:
    return (
        f'<g transform="translate({x} 50) scale({scale}) translate(0 -50)"><circle cx="0" cy="12" r="9"/>'
        '<path d="M-13 25 h26 q5 0 5 5 v28 h-7 V36 h-2 V96 h-8 V62 h-2 V96 h-8 V36 h-2 V58 h-7 V30 q0-5 5-5z"/></g>'
    )


def _woman(x: float, scale: float = 1.0) -> str:
    return (
        f'<g transform="translate({x} 50) scale({scale}) translate(0 -50)"><circle cx="0" cy="12" r="9"/>'
        '<path d="M-9 25 h18 q5 0 7 6 l8 25 -7 3 -8-22 -1 1 11 32 h-11 V96 h-7 V70 h-2 V96 h-7 V70 h-11 l11-32 '
        '-1-1 -8 22 -7-3 8-25 q2-6 7-6z"/></g>'
    )


_P = '<path d="M28 8 h28 q24 0 24 26 t-24 26 H44 V94 H28z M44 22 v24 h10 q10 0 10-12 t-10-12z" fill-rule="evenodd"/>'
_FLAME = (
    '<path d="M50 4 q6 22 20 36 q14 15 14 30 q0 26-34 26 t-34-26 q0-14 10-28 q2 14 10 18 q-4-32 14-56z'
    'M50 88 q16 0 16-14 q0-10-10-22 q-2 12-8 16 q-4-4-5-8 q-9 8-9 16 q0 12 16 12z" fill-rule="evenodd"/>'
)
_CIGARETTE = (
    '<path d="M4 62 h66 v14 H4z M76 62 h7 v14 h-7z M89 62 h7 v14 h-7z"/>' + _LINES
    + '<path d="M80 52 q0-12-10-12 t-10-12 q0-10 8-12 M93 52 q0-22-14-24"/></g>'
)
_BULB = "M50 6 a32 32 0 0 1 18 58 v10 H32 V64 a32 32 0 0 1 18-58z"
_LOCK_BODY = '<rect x="18" y="46" width="64" height="48" rx="{r}"/>'
_KEYHOLE = '<circle cx="50" cy="66" r="7" fill="#fff"/><path d="M46 66 h8 l3 18 h-14z" fill="#fff"/>'
_PLATFORM = '<path d="M6 92 h88 v6 H6z"/>'

DRAWINGS: dict[str, tuple[str, ...]] = {
    "restroom": (
        _man(72, 0.98) + _woman(26, 0.98) + '<rect x="48" y="2" width="4" height="95"/>',
        _woman(28, 0.95) + _man(74, 0.95),
    ),
    "men": (_man(50),),
    "women": (_woman(50),),
    "stairs": (
        _LINES + '<path d="M4 94 h20 V72 h20 V50 h20 V28 h20 V8 h12"/></g>',
        '<path d="M4 96 V78 h22 V56 h22 V34 h22 V12 h26 V96z"/>',
    ),
    "escalator": (
        _LINES + '<path d="M6 88 h18 L74 36 h20 M6 72 h12 L68 20 h26" /></g><circle cx="42" cy="16" r="8"/>'
        '<path d="M34 28 h16 v28 l-16 14z"/>',
    ),
    "elevator": (
        '<path d="M10 34 h80 v64 H10z M18 42 v48 h64 V42z" fill-rule="evenodd"/><path d="M30 4 l14 18 H16z M70 22 L56 4 h28z"/>'
        f'<g transform="translate(0 45) scale(1 .46)">{_man(34, 0.95)}{_man(66, 0.95)}</g>',
    ),
    "emergency_exit": (
        '<path d="M54 4 h42 v92 H54 v-10 h30 V14 H54z" fill-opacity="1"/><circle cx="44" cy="18" r="8"/>' + _LINES
        + '<path d="M42 32 l-12 24 M42 32 l-18 4 -8 16 M42 34 l16 14 12-2 M30 56 l18 10 -2 26 M31 56 l-10 20 -18 2" stroke-width="9"/></g>',
    ),
    "no_entry": ('<path d="M50 2 a48 48 0 1 0 .01 0z M14 40 h72 v20 H14z" fill-rule="evenodd"/>',),
    "parking": (_P,),
    "information": (
        '<circle cx="50" cy="14" r="11"/><path d="M32 34 h28 v50 h10 v12 H30 V84 h11 V46 H32z"/>',
        '<path d="M50 2 a48 48 0 1 0 .01 0z M50 18 a8 8 0 1 1-.01 0z M42 42 h16 v40 H42z" fill-rule="evenodd"/>',
    ),
    "ev_charging": (
        '<path d="M10 10 q0-6 6-6 h38 q6 0 6 6 v84 h4 v4 H6 v-4 h4z M18 14 v26 h34 V14z M38 46 L22 72 h12 l-4 20 20-28 H38z" '
        'fill-rule="evenodd"/>' + _LINES + '<path d="M62 56 h8 v26 q0 8 8 8 t8-8 V36 L74 22"/></g>',
    ),
    "pin": (
        '<path d="M50 2 a34 34 0 0 1 34 34 q0 20-34 62 Q16 56 16 36 A34 34 0 0 1 50 2z M50 22 a14 14 0 1 0 .01 0z" fill-rule="evenodd"/>',
    ),
    "drinking_water": (
        '<path d="M30 50 h42 l-6 48 H36z M36 60 l4 32 h22 l4-32z" fill-rule="evenodd"/><path d="M39 72 h24 l-2 18 H41z"/>'
        '<path d="M8 8 h50 q12 0 12 12 v12 H58 V22 H8z M24 2 h18 v8 H24z"/><path d="M64 36 q7 9 0 12 q-7-3 0-12z"/>',
    ),
    "stop_sign": ('<path d="M30 3 h40 l27 27 v40 L70 97 H30 L3 70 V30z"/>',),
    "phone": (
        '<path d="M32 2 h36 q8 0 8 8 v80 q0 8-8 8 H32 q-8 0-8-8 V10 q0-8 8-8z M32 14 v64 h36 V14z M50 82 a5 5 0 1 0 .01 0z" fill-rule="evenodd"/>',
    ),
    "smoking": (_CIGARETTE,),
    "warning": (
        '<path d="M42 6 h16 l-4 60 h-8z"/><circle cx="50" cy="84" r="9"/>',
        '<path d="M50 4 L98 92 H2z M45 34 l2 30 h6 l2-30z M50 70 a6 6 0 1 0 .01 0z" fill-rule="evenodd"/>',
    ),
    "high_voltage": (
        '<path d="M60 2 L34 52 L52 46 L41 78 L47 80 L62 38 L45 43 L67 4z"/><path d="M36 72 L40 99 L57 80z"/>',
        '<path d="M56 1 L30 50 L56 42 L44 74 L50 76 L67 32 L43 39 L63 4z"/><path d="M37 70 L43 99 L58 77z"/>',
    ),
    "flammable": (_FLAME + _PLATFORM, _FLAME),
    "radioactive": (
        '<circle cx="50" cy="50" r="9"/><path d="M50 50 m-7-12.1 L27 10.2 A46 46 0 0 1 73 10.2 L57 37.9 A14 14 0 0 0 43 37.9z"/>'
        '<g transform="rotate(120 50 50)"><path d="M43 37.9 L27 10.2 A46 46 0 0 1 73 10.2 L57 37.9 A14 14 0 0 0 43 37.9z"/></g>'
        '<g transform="rotate(240 50 50)"><path d="M43 37.9 L27 10.2 A46 46 0 0 1 73 10.2 L57 37.9 A14 14 0 0 0 43 37.9z"/></g>',
    ),
    "corrosive": (
        '<g transform="rotate(24 30 20)"><path d="M8 6 h36 v9 H8z M12 15 h28 v12 H12z" /></g>'
        '<g transform="rotate(-24 70 20)"><path d="M56 6 h36 v9 H56z M60 15 h28 v12 H60z"/></g>'
        '<path d="M30 40 q5 9 0 13 q-5-4 0-13z M36 52 q4 7 0 10 q-4-3 0-10z M68 40 q5 9 0 13 q-5-4 0-13z"/>'
        '<path d="M4 72 h18 q4 10 10 4 t10-4 v22 H4z"/>'
        '<path d="M56 78 q10-14 24-8 h16 v10 H84 q-4 6-10 2 q-8 8-18-4z M56 96 h40 v-8 H66z"/>',
    ),
    "laser": (
        '<path d="M2 46 h34 v8 H2z"/><circle cx="50" cy="50" r="9"/>' + _LINES
        + '<path d="M66 50 h32 M61 39 L82 18 M61 61 L82 82 M50 34 V6 M50 66 V94 M39 39 L22 22 M39 61 L22 78" stroke-width="5"/></g>',
    ),
    "slippery": (
        '<circle cx="30" cy="14" r="9"/>' + _LINES
        + '<path d="M36 28 L52 58 M38 32 L62 26 76 14 M38 34 L22 48 26 60 M52 58 L78 56 94 44 M52 58 L60 80 86 84" stroke-width="9"/>'
        '<path d="M4 94 h40 q6-6 12 0 t12 0 h26" stroke-width="5"/></g>',
    ),
    "hot_surface": (
        _LINES + '<path d="M28 72 q-10-12 0-24 t0-24 M50 72 q-10-12 0-24 t0-24 M72 72 q-10-12 0-24 t0-24" stroke-width="8"/></g>'
        '<path d="M8 82 h84 v10 H8z"/>',
    ),
    "falling_objects": (
        '<path d="M14 4 l20 6 -6 18 -20-6z M52 2 l16 8 -8 16 -16-8z M34 36 l14 2 -2 14 -14-2z"/>'
        '<circle cx="66" cy="46" r="9"/><path d="M54 60 h24 l10 22 -7 4 -7-14 v26 h-8 V80 h-2 v18 h-8 V72 l-8 8 -8-6z"/>' + _LINES
        + '<path d="M80 34 l10-12 M60 32 l2-2" stroke-width="4"/></g>',
    ),
    "goggles": (
        '<path d="M50 4 a40 44 0 0 1 40 44 q0 48-40 50 Q10 96 10 48 A40 44 0 0 1 50 4z M18 40 h64 v20 q0 8-9 8 h-10 q-8 0-10-8 h-6 '
        'q-2 8-10 8 H27 q-9 0-9-8z" fill-rule="evenodd"/><path d="M24 46 h20 v16 H24z M56 46 h20 v16 H56z" />',
        _LINES + '<rect x="6" y="34" width="38" height="32" rx="12"/><rect x="56" y="34" width="38" height="32" rx="12"/><path d="M44 44 q6-6 12 0"/></g>',
    ),
    "ear_protection": (
        '<path d="M50 12 a30 36 0 0 1 30 36 q0 46-30 48 Q20 94 20 48 A30 36 0 0 1 50 12z"/>' + _LINES
        + '<path d="M12 46 A38 42 0 0 1 88 46" stroke-width="7"/></g><rect x="3" y="40" width="19" height="32" rx="8"/><rect x="78" y="40" width="19" height="32" rx="8"/>',
    ),
    "wash_hands": (
        '<path d="M36 2 h28 v10 H54 v8 h18 q14 0 14 14 H72 v-4 H36z"/><path d="M78 40 q6 9 0 13 q-6-4 0-13z M68 40 q5 7 0 11 q-5-4 0-11z"/>'
        '<path d="M4 60 h16 l18 4 28-8 q10-1 8 6 l-18 7 30-3 q8 0 6 7 l-34 12 -24 2 -14 8 H4z"/>',
    ),
    "first_aid": ('<path d="M34 4 h32 v30 h30 v32 H66 v30 H34 V66 H4 V34 h30z"/>',),
    "check": (
        _LINES + '<path d="M10 54 L38 82 L92 18" stroke-width="14"/></g>',
        '<path d="M50 2 a48 48 0 1 0 .01 0z M22 52 l8-8 14 14 28-30 8 8 -36 38z" fill-rule="evenodd"/>',
    ),
    "cross": (
        _LINES + '<path d="M16 16 L84 84 M84 16 L16 84" stroke-width="14"/></g>',
        '<path d="M50 2 a48 48 0 1 0 .01 0z M30 22 l20 20 20-20 8 8 -20 20 20 20 -8 8 -20-20 -20 20 -8-8 20-20 -20-20z" fill-rule="evenodd"/>',
    ),
    "lock": (
        _LOCK_BODY.replace("{r}", "7") + '<path d="M28 50 V30 a22 22 0 0 1 44 0 V50 H62 V30 a12 12 0 0 0-24 0 V50z"/>' + _KEYHOLE,
        _LINES + '<rect x="18" y="46" width="64" height="48" rx="9"/><path d="M30 46 V30 a20 20 0 0 1 40 0 V46"/></g><circle cx="50" cy="70" r="7"/>',
    ),
    "unlock": (
        _LOCK_BODY.replace("{r}", "7") + '<path d="M62 50 V28 a22 22 0 0 1 44 0 V40 H96 V28 a12 12 0 0 0-24 0 V50z" transform="translate(-2 0)"/>' + _KEYHOLE,
        _LOCK_BODY.replace("{r}", "12") + '<path d="M28 50 V22 a22 22 0 0 1 43-6 l-10 3 a12 12 0 0 0-23 3 V50z"/>' + _KEYHOLE,
        _LINES + '<rect x="14" y="46" width="64" height="48" rx="9"/><path d="M66 46 V28 a16 16 0 0 1 32 0 V36"/></g><circle cx="46" cy="70" r="7"/>',
        _LINES + '<rect x="18" y="46" width="64" height="48" rx="9"/><path d="M30 46 V24 a20 20 0 0 1 38-9"/></g><circle cx="50" cy="70" r="7"/>',
    ),
    "light_on": (
        f'<path d="{_BULB}" transform="translate(0 6) scale(1 .92)"/><path d="M34 80 h32 v6 H34z M38 89 h24 v6 H38z"/>' + _LINES
        + '<path d="M50 -14 V-4 M14 2 l-8-8 M86 2 l8-8 M4 40 h-12 M96 40 h12" stroke-width="7"/></g>',
        _LINES + f'<path d="{_BULB}"/><path d="M36 84 h28 M42 94 h16 M8 10 l8 6 M92 10 l-8 6 M0 42 h8 M92 42 h8"/></g>',
    ),
    "wifi_on": (
        _LINES + '<path d="M6 40 a62 62 0 0 1 88 0 M22 57 a40 40 0 0 1 56 0 M37 73 a18 18 0 0 1 26 0" stroke-width="10"/></g><circle cx="50" cy="88" r="7"/>',
    ),
    "wifi_weak": (
        '<g opacity=".3">' + _LINES + '<path d="M6 40 a62 62 0 0 1 88 0 M22 57 a40 40 0 0 1 56 0" stroke-width="10"/></g></g>' + _LINES
        + '<path d="M37 73 a18 18 0 0 1 26 0" stroke-width="10"/></g><circle cx="50" cy="88" r="7"/>',
    ),
    "power": (_LINES + '<path d="M50 6 V48 M28 22 a40 40 0 1 0 44 0" stroke-width="10"/></g>',),
    "window_open": (
        _LINES + '<path d="M30 10 h40 V90 H30z M30 10 L4 22 V80 L30 90 M70 10 L96 22 V80 L70 90 M17 16 V86 M83 16 V86"/></g>',
        _LINES + '<path d="M18 6 h64 V94 H18z M18 72 h64" /><path d="M26 14 h48 V44 H26z M26 29 h48"/></g>',
    ),
    "window_closed": (
        _LINES + '<path d="M12 6 h76 V90 H12z M50 6 V90 M12 48 h76 M6 94 h88"/></g>',
        '<path d="M10 6 h80 v86 H10z M18 14 v30 h28 V14z M54 14 v30 h28 V14z M18 52 v32 h28 V52z M54 52 v32 h28 V52z" fill-rule="evenodd"/>',
    ),
    "door_open": (
        '<path d="M22 8 L60 2 V98 L22 90z M50 46 a4 6 0 1 0 .01 0z" fill-rule="evenodd"/>' + _LINES + '<path d="M64 10 h18 V90 H64 M4 92 h14 M84 92 h12"/></g>',
        _LINES + '<path d="M26 10 L62 4 V96 L26 90z M66 12 h14 V90 H66 M6 92 h16 M82 92 h12"/></g><circle cx="52" cy="52" r="4"/>',
    ),
    "door_closed": (
        '<path d="M22 4 h56 v88 H22z M68 46 a5 5 0 1 0 .01 0z" fill-rule="evenodd"/>' + _LINES + '<path d="M6 94 h88"/></g>',
        _LINES + '<path d="M24 6 h52 V92 H24z M6 92 h88"/></g><circle cx="66" cy="50" r="5"/>',
    ),
    "oven": (
        '<path d="M12 4 h76 q6 0 6 6 v80 q0 6-6 6 H12 q-6 0-6-6 V10 q0-6 6-6z M14 30 v58 h72 V30z M22 40 h56 v34 H22z" fill-rule="evenodd"/>'
        '<circle cx="24" cy="17" r="5" fill="#fff"/><circle cx="42" cy="17" r="5" fill="#fff"/><circle cx="76" cy="17" r="5" fill="#fff"/>',
        _LINES + '<rect x="8" y="6" width="84" height="86" rx="6"/><path d="M8 28 h84"/><rect x="22" y="42" width="56" height="36" rx="3"/></g>'
        '<circle cx="24" cy="17" r="4"/><circle cx="38" cy="17" r="4"/><circle cx="76" cy="17" r="4"/>',
    ),
    "microwave": (
        _LINES + '<rect x="4" y="20" width="92" height="60" rx="6"/><rect x="14" y="30" width="52" height="40" rx="3"/><path d="M24 44 q6-6 12 0 t12 0 M24 56 q6-6 12 0 t12 0"/></g>'
        '<circle cx="82" cy="36" r="5"/><circle cx="82" cy="52" r="5"/><rect x="76" y="64" width="12" height="6"/>',
    ),
    "washing_machine": (
        _LINES + '<rect x="10" y="4" width="80" height="92" rx="6"/><circle cx="50" cy="60" r="26"/><path d="M28 62 q10-9 22 0 t22-2"/><path d="M10 24 h80"/></g>'
        '<circle cx="24" cy="14" r="4"/><rect x="60" y="10" width="20" height="8"/>',
    ),
    "radiator": (
        _LINES + '<path d="M14 44 V92 M32 44 V92 M50 44 V92 M68 44 V92 M86 44 V92 M8 54 h84 M8 82 h84" stroke-width="9"/>'
        '<path d="M32 32 q-7-7 0-14 t0-12 M50 32 q-7-7 0-14 t0-12 M68 32 q-7-7 0-14 t0-12"/></g>',
    ),
    "fan": (
        '<circle cx="50" cy="50" r="8"/>'
        + "".join(
            f'<path transform="rotate({turn} 50 50)" d="M50 44 Q28 34 36 14 Q46 0 60 10 Q66 26 50 44z"/>' for turn in (0, 120, 240)
        ),
    ),
    "fragile": (
        '<path d="M24 4 h52 q6 44-18 52 v28 h16 v10 H26 V84 h16 V56 Q18 48 24 4z M48 8 l-6 14 12 8 -8 18 20-22 -11-7 5-11z" fill-rule="evenodd"/>',
    ),
    "keep_dry": (
        '<path d="M50 34 a42 38 0 0 1 42 38 q-10-8-21 0 q-10-8-21 0 q-10-8-21 0 q-11-8-21 0 A42 38 0 0 1 50 34z"/>' + _LINES
        + '<path d="M50 70 V90 q0 7-8 7 t-8-7"/></g><path d="M22 4 q8 13 0 18 q-8-5 0-18z M50 4 q8 13 0 18 q-8-5 0-18z M78 4 q8 13 0 18 q-8-5 0-18z"/>',
    ),
    "this_side_up": (
        '<path d="M24 4 L46 36 H32 V82 H16 V36 H2z M76 4 L98 36 H84 V82 H68 V36 H54z M2 88 h96 v9 H2z"/>',
    ),
    "ce_mark": (
        _LINES + '<path d="M42 24 a27 27 0 1 0 0 52 M94 24 a27 27 0 1 0 0 52 M70 50 h20" stroke-width="9" stroke-linecap="butt"/></g>',
        _LINES + '<path d="M42 34 a17 17 0 1 0 0 32 M76 34 a17 17 0 1 0 0 32 M60 50 h14" stroke-width="7" stroke-linecap="butt"/>'
        '<ellipse cx="50" cy="50" rx="47" ry="36" stroke-width="3"/></g>',
    ),
    "percent": (
        _LINES + '<circle cx="24" cy="24" r="15" stroke-width="10"/><circle cx="76" cy="76" r="15" stroke-width="10"/><path d="M84 10 L16 90" stroke-width="10"/></g>',
        '<path d="M50 1 l11 9 14-3 6 13 14 4 -1 14 9 12 -9 12 1 14 -14 4 -6 13 -14-3 -11 9 -11-9 -14 3 -6-13 -14-4 1-14 -9-12 9-12 -1-14 '
        '14-4 6-13 14 3z M34 28 a9 9 0 1 0 .01 0z M66 56 a9 9 0 1 0 .01 0z M66 28 l6 6 -38 40 -6-6z" fill-rule="evenodd"/>',
    ),
}


def svg_of(body: str, line_width: float) -> str:
    """A whole SVG document around one drawing; the margin leaves room for rays and open shackles."""
    filled = body.replace("{w}", f"{line_width:g}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 -18 132 134" width="132" height="134">{filled}</svg>'
    )
