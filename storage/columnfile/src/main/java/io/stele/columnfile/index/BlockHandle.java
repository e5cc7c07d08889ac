package io.stele.columnfile.index;

/** The location of a stored block in its file, frame included. */
public record BlockHandle(long offset, int length) {
    public BlockHandle {
        if (offset < 0 || length < BlockFrame.OVERHEAD) {
            throw new IllegalArgumentException(
                    "Invalid block handle: offset " + offset + ", length " + length);
        }
    }
}
