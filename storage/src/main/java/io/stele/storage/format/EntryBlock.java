package io.stele.storage.format;

/**
 * The verified payload of a block of sorted entries (see {@link EntryBlockBuilder}). Immutable;
 * shared by the block cache.
 */
final class EntryBlock {
    /** Object headers and the path's share, beside the bytes. */
    private static final int OVERHEAD_BYTES = 96;

    final String path;
    final long fileOffset;
    final byte[] bytes;
    final int entryCount;
    final int restartInterval;
    final int restartCount;

    /** Where the entries end and the restart offsets begin. */
    final int entriesEnd;

    private EntryBlock(
            String path,
            long fileOffset,
            byte[] bytes,
            int entryCount,
            int restartInterval,
            int restartCount,
            int entriesEnd) {
        this.path = path;
        this.fileOffset = fileOffset;
        this.bytes = bytes;
        this.entryCount = entryCount;
        this.restartInterval = restartInterval;
        this.restartCount = restartCount;
        this.entriesEnd = entriesEnd;
    }

    static EntryBlock of(String path, long fileOffset, byte[] bytes) {
        if (bytes.length < EntryBlockBuilder.TRAILER_FIXED) {
            throw Corruption.mismatch(
                    path,
                    fileOffset,
                    "entry block of at least",
                    EntryBlockBuilder.TRAILER_FIXED + " bytes",
                    bytes.length);
        }
        int entryCount = LittleEndian.getInt(bytes, bytes.length - 8);
        int restartInterval = LittleEndian.getInt(bytes, bytes.length - 4);
        if (entryCount < 1 || restartInterval < 1) {
            throw Corruption.mismatch(
                    path,
                    fileOffset,
                    "an entry count and a restart interval",
                    ">= 1",
                    entryCount + " and " + restartInterval);
        }
        int restartCount = (entryCount - 1) / restartInterval + 1;
        long entriesEnd = bytes.length - EntryBlockBuilder.TRAILER_FIXED - 4L * restartCount;
        if (entriesEnd < 0) {
            throw Corruption.mismatch(
                    path,
                    fileOffset,
                    "room for restart points",
                    restartCount,
                    bytes.length + " bytes");
        }
        return new EntryBlock(
                path,
                fileOffset,
                bytes,
                entryCount,
                restartInterval,
                restartCount,
                (int) entriesEnd);
    }

    int restartOffset(int restart) {
        int offset = LittleEndian.getInt(bytes, entriesEnd + 4 * restart);
        if (offset < 0 || offset >= entriesEnd) {
            throw Corruption.mismatch(path, fileOffset, "restart offset below", entriesEnd, offset);
        }
        return offset;
    }

    long retainedBytes() {
        return bytes.length + (long) OVERHEAD_BYTES;
    }
}
