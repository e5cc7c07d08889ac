package io.stele.storage.format;

/** The location of a stored block in its file, frame included. */
record BlockHandle(long offset, int length) {
    BlockHandle {
        if (offset < 0 || length < BlockFrame.OVERHEAD) {
            throw new IllegalArgumentException(
                    "Invalid block handle: offset " + offset + ", length " + length);
        }
    }
}
