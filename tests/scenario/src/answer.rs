//! An answer as it comes from the wire.

/// Status, headers and body.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// `None` when the answer is cut short. An answer to HEAD has the length but not the body.
    pub fn parse(bytes: &[u8], head_only: bool) -> Option<Self> {
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n")?;
        // Ironic puts what a client sent into headers, also bytes that are no text.
        let head = String::from_utf8_lossy(&bytes[..end]);
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
            .collect();
        let body = bytes[end + 4..].to_vec();
        let answer = Self {
            status,
            headers,
            body,
        };
        match answer.header("content-length").map(str::parse::<usize>) {
            Some(Ok(length)) if length != answer.body.len() && !head_only => None,
            _ => Some(answer),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}
