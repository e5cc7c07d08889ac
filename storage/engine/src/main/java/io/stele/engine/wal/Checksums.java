package io.stele.engine.wal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The computation of CRC32C over parts of buffers. Stateless. */
final class Checksums {
    private Checksums() {}

    static int crc32c(ByteBuffer buffer, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.slice(offset, length));
        return (int) crc.getValue();
    }
}
