// Small line icons.

const PATHS = {
  close: "M5 5l14 14M19 5L5 19",
  menu: "M4 7h16M4 12h16M4 17h16",
  gear: "M4 7h8M18 7h2M15 4.500a2.500 2.500 0 1 0 0 5a2.500 2.500 0 1 0 0 -5M4 17h2M12 17h8M9 14.500a2.500 2.500 0 1 0 0 5a2.500 2.500 0 1 0 0 -5",
  bot: "M7 9h10a2 2 0 0 1 2 2v6a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-6a2 2 0 0 1 2 -2zM12 9v-4M9.500 13.500v.8M14.500 13.500v.8",
  person: "M12 12a4 4 0 1 0 0 -8a4 4 0 1 0 0 8M4.500 20a7.500 7.500 0 0 1 15 0",
  book: "M12 6.500C10 5 7 4.500 4 5v13c3 -.5 6 0 8 1.500c2 -1.500 5 -2 8 -1.500v-13c-3 -.5 -6 0 -8 1.500zM12 6.500v13",
  log: "M5 6h14M5 12h14M5 18h8",
  eye: "M2.500 12C5 7.500 8.200 5.500 12 5.500s7 2 9.500 6.500c-2.500 4.500 -5.700 6.500 -9.500 6.500s-7 -2 -9.500 -6.500zM12 9.300a2.700 2.700 0 1 0 0 5.400a2.700 2.700 0 1 0 0 -5.400",
  play: "M8 5.500v13l11 -6.500z",
  pause: "M8 5.500v13M16 5.500v13",
  next: "M9 5.500l7 6.500l-7 6.500",
  previous: "M15 5.500l-7 6.500l7 6.500",
  first: "M18 5.500l-7 6.500l7 6.500M7 5.500v13",
  last: "M6 5.500l7 6.500l-7 6.500M17 5.500v13",
  skip: "M5 6l6 6l-6 6M13 6l6 6l-6 6",
  share: "M12 15V4M7.500 8L12 3.500L16.500 8M5 12.500V20h14v-7.500",
  flag: "M6 21V4h11l-2.500 4l2.500 4H6",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  sound: "M4 9.500v5h3.500l4.500 4v-13l-4.500 4zM15.500 9a4 4 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11",
  check: "M4.500 12.500l5 5l10 -11",
  offline: "M3 9a13 13 0 0 1 18 0M6.500 12.700a8 8 0 0 1 11 0M10 16.200a3 3 0 0 1 4 0M4 4l16 16",
  rotate: "M19 12a7 7 0 1 1 -2.500 -5.400M17 3v4h-4",
  trophy:
    "M8 4h8v5a4 4 0 0 1 -8 0zM8 5.500H4.500c0 3 1.500 4.500 3.500 4.500M16 5.500h3.500c0 3 -1.500 4.500 -3.500 4.500M12 13v4M8.500 20h7M10 17h4v3h-4z",
  device:
    "M8 3h8a1.500 1.500 0 0 1 1.500 1.500v15a1.500 1.500 0 0 1 -1.500 1.500h-8a1.500 1.500 0 0 1 -1.500 -1.500v-15A1.500 1.500 0 0 1 8 3zM11 18h2",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon, without a name of its own: it stands beside a word, or in a button that has one. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
