//! The stream of a source, counted, hashed and watched as it passes.

use super::{CHUNK, Progress, Watch};
use crate::{
    ImageError,
    checksum::{Checksum, HashThread},
    source::Source,
};
use std::{
    io::{self, Read},
    ops::ControlFlow,
};

pub(super) struct Tap<'a> {
    reader: Box<dyn Read + Send>,
    hash: Option<HashThread>,
    watch: Watch<'a>,
    image: String,
    progress: Progress,
    /// Why the source failed: decoders in between wrap errors until they are not recognisable.
    failure: Option<ImageError>,
}

impl<'a> Tap<'a> {
    pub(super) fn open(
        source: &dyn Source,
        checksum: Option<&Checksum>,
        watch: Watch<'a>,
    ) -> Result<Self, ImageError> {
        let hash = checksum
            .map(|checksum| HashThread::start(checksum.algorithm))
            .transpose()
            .map_err(|error| ImageError::from_read(error, source.shown()))?;
        Ok(Self {
            reader: source.stream()?,
            hash,
            watch,
            image: source.shown().to_owned(),
            progress: Progress {
                done: 0,
                total: source.stat().size,
            },
            failure: None,
        })
    }

    /// The first bytes, fewer only if there are no more.
    pub(super) fn prefix(&mut self, length: usize) -> Result<Vec<u8>, ImageError> {
        let mut prefix = Vec::new();
        let read = self.by_ref().take(length as u64).read_to_end(&mut prefix);
        read.map_err(|error| self.explain(error))?;
        Ok(prefix)
    }

    pub(super) fn into_watch(self) -> Watch<'a> {
        self.watch
    }

    pub(super) fn failure(&mut self) -> Option<ImageError> {
        self.failure.take()
    }

    pub(super) fn explain(&mut self, error: io::Error) -> ImageError {
        self.failure()
            .unwrap_or_else(|| ImageError::from_read(error, &self.image))
    }

    /// Reads to the end; gives the number of bytes and their hash.
    pub(super) fn finish(mut self) -> Result<(u64, Option<String>), ImageError> {
        let mut buffer = vec![0; CHUNK];
        loop {
            match self.read(&mut buffer) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => return Err(self.explain(error)),
            }
        }
        Ok((self.progress.done, self.hash.map(HashThread::finish)))
    }
}

impl Read for Tap<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let failed = |error: ImageError, slot: &mut Option<ImageError>| {
            *slot = Some(error);
            io::Error::other("the source failed")
        };
        let count = self.reader.read(buffer).map_err(|error| {
            failed(ImageError::from_read(error, &self.image), &mut self.failure)
        })?;
        if count > 0 {
            if let Some(hash) = &mut self.hash {
                hash.update(buffer.get(..count).unwrap_or_default());
            }
            self.progress.done += count as u64;
            if (self.watch)(self.progress) == ControlFlow::Break(()) {
                let stopped = ImageError::Stopped {
                    image: self.image.clone(),
                };
                return Err(failed(stopped, &mut self.failure));
            }
        }
        Ok(count)
    }
}
