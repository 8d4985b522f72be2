//! A screen for machines that have none: a test picture that shows what is typed.
//!
//! A server in this process, at the end of a pipe, for each viewer anew. It draws coloured bars and
//! below them lines of text, and a dot where a button of the mouse is pressed.

mod font;

use proto::rfb::{
    client::{ClientMessage, PixelFormat},
    greeting::Greeting,
    server,
};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

const WIDTH: usize = 640;
const HEIGHT: usize = 400;
const BARS: usize = 112;
/// A letter with the space around it.
const CELL: [usize; 2] = [12, 18];
const COLUMNS: usize = WIDTH / CELL[0];
const LINES: usize = (HEIGHT - BARS) / CELL[1];
/// Each dot of a letter is so many pixels wide and high.
const DOT: usize = 3;

const BLACK: [u8; 3] = [16, 18, 24];
const WHITE: [u8; 3] = [230, 232, 238];
const COLOURS: [[u8; 3]; 8] = [
    [230, 230, 230],
    [220, 200, 40],
    [40, 190, 200],
    [60, 170, 70],
    [190, 70, 170],
    [200, 60, 50],
    [50, 90, 200],
    [60, 60, 60],
];

const BACKSPACE: u32 = 0xff08;
const RETURN: u32 = 0xff0d;

/// The other end of a server that shows the picture. It ends with the connection.
pub(super) fn begin(name: &str) -> DuplexStream {
    let (ours, theirs) = duplex(64 * 1024);
    let picture = Picture::new(name);
    tokio::spawn(async move {
        // The viewer has gone.
        let _ = serve(theirs, picture).await;
    });
    ours
}

struct Picture {
    name: String,
    pixels: Vec<[u8; 3]>,
    /// Column and line of what is typed next.
    at: [usize; 2],
    /// What has changed since it was last sent: the first row and the one behind the last.
    changed: Option<[usize; 2]>,
}

impl Picture {
    fn new(name: &str) -> Self {
        let row = |y: usize| {
            (0..WIDTH).map(move |x| match y < BARS {
                true => COLOURS[x * COLOURS.len() / WIDTH],
                false => BLACK,
            })
        };
        let mut picture = Self {
            name: name.to_owned(),
            pixels: (0..HEIGHT).flat_map(row).collect(),
            at: [0, 0],
            changed: None,
        };
        for letter in
            format!("NODE {name}\nTHIS MACHINE HAS NO SCREEN. TYPE SOMETHING.\n\n").chars()
        {
            picture.print(letter);
        }
        picture
    }

    fn fill(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], colour: [u8; 3]) {
        let end = (y + height).min(HEIGHT);
        for row in y..end {
            let from = row * WIDTH + x;
            let until = row * WIDTH + (x + width).min(WIDTH);
            if let Some(pixels) = self.pixels.get_mut(from..until) {
                pixels.fill(colour);
            }
        }
        let [first, last] = self.changed.unwrap_or([y, end]);
        self.changed = Some([first.min(y), last.max(end)]);
    }

    fn corner(&self) -> [usize; 2] {
        [self.at[0] * CELL[0], BARS + self.at[1] * CELL[1]]
    }

    fn print(&mut self, letter: char) {
        if letter == '\n' || self.at[0] >= COLUMNS {
            self.at = [0, (self.at[1] + 1) % LINES];
            let corner = self.corner();
            self.fill(corner, [WIDTH, CELL[1]], BLACK);
        }
        if letter == '\n' {
            return;
        }
        let corner = self.corner();
        self.fill(corner, CELL, BLACK);
        let shape = font::shape(letter);
        for dot in 0..15 {
            if shape >> (14 - dot) & 1 == 1 {
                let place = [corner[0] + 1 + dot % 3 * DOT, corner[1] + 1 + dot / 3 * DOT];
                self.fill(place, [DOT, DOT], WHITE);
            }
        }
        self.at[0] += 1;
    }

    fn press(&mut self, symbol: u32) {
        match symbol {
            RETURN => self.print('\n'),
            BACKSPACE if self.at[0] > 0 => {
                self.at[0] -= 1;
                let corner = self.corner();
                self.fill(corner, CELL, BLACK);
            }
            // Latin letters have their own numbers.
            0x20..=0xff => self.print(char::from_u32(symbol).unwrap_or('?')),
            _ => {}
        }
    }

    fn point(&mut self, [x, y]: [u16; 2]) {
        let (x, y) = (usize::from(x), usize::from(y));
        if x < WIDTH && y < HEIGHT {
            self.fill([x, y], [4, 4], COLOURS[1]);
        }
    }

    /// An update of the rows from `first` to `last`.
    fn rows(&self, [first, last]: [usize; 2], format: &PixelFormat) -> Vec<u8> {
        let short = |number: usize| u16::try_from(number).unwrap_or_default();
        let area = [0, short(first), short(WIDTH), short(last - first)];
        let mut bytes = server::update(area);
        for pixel in self
            .pixels
            .get(first * WIDTH..last * WIDTH)
            .unwrap_or_default()
        {
            format.write(*pixel, &mut bytes);
        }
        bytes
    }
}

/// More than the longest message.
const LONGEST: usize = 128 * 1024;

async fn serve(mut stream: DuplexStream, mut picture: Picture) -> io::Result<()> {
    let mut greeting = Greeting::default();
    stream.write_all(greeting.begin()).await?;
    while greeting.needs() > 0 {
        let mut bytes = vec![0; greeting.needs()];
        stream.read_exact(&mut bytes).await?;
        let answer = greeting.take(&bytes).map_err(io::Error::other)?;
        stream.write_all(answer).await?;
    }
    let _shared = stream.read_u8().await?;
    let size = [WIDTH, HEIGHT].map(|side| u16::try_from(side).unwrap_or_default());
    stream.write_all(&server::init(size, &picture.name)).await?;
    let mut format = PixelFormat::USUAL;
    let mut is_awaited = false;
    let mut heard = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 || heard.len() > LONGEST {
            return Ok(());
        }
        heard.extend(&buffer[..count]);
        while let Some((message, length)) =
            ClientMessage::first(&heard).map_err(io::Error::other)?
        {
            heard.drain(..length);
            match message {
                ClientMessage::PixelFormat(wanted) => format = wanted,
                ClientMessage::Update { is_incremental, .. } => {
                    is_awaited = true;
                    if !is_incremental {
                        picture.changed = Some([0, HEIGHT]);
                    }
                }
                ClientMessage::Key {
                    is_down: true,
                    symbol,
                } => picture.press(symbol),
                ClientMessage::Pointer { buttons, at } if buttons != 0 => picture.point(at),
                _ => {}
            }
        }
        if is_awaited && let Some(rows) = picture.changed.take() {
            is_awaited = false;
            stream.write_all(&picture.rows(rows, &format)).await?;
        }
    }
}
