package io.stele.cache.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TestTransfers {
    private static final int BYTES = (1 << 20) + 77; // several pieces, the last one short

    @TempDir private Path directory;

    private FileChannel open() throws IOException {
        return FileChannel.open(
                directory.resolve("file"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    private static ByteBuffer buffer(boolean direct, int bytes) {
        return direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsWrittenIsReadWhole(boolean direct) throws IOException {
        byte[] content = new byte[BYTES];
        new Random(1).nextBytes(content);
        try (FileChannel channel = open()) {
            ByteBuffer source = buffer(direct, BYTES + 9).put(4, content).position(4);
            Transfers.writeFully(channel, 13, source.limit(4 + BYTES));
            assertThat(source.position()).isEqualTo(source.limit()).isEqualTo(4 + BYTES);

            ByteBuffer target = buffer(direct, BYTES + 9).position(4).limit(4 + BYTES);
            Transfers.readFully(channel, 13, target, "file");
            assertThat(target.position()).isEqualTo(target.limit()).isEqualTo(4 + BYTES);
            assertThat(target.slice(4, BYTES)).isEqualTo(ByteBuffer.wrap(content));
        }
    }

    @Test
    void aFileThatEndsBeforeIsSaidToEndThere() throws IOException {
        try (FileChannel channel = open()) {
            Transfers.writeFully(channel, 0, ByteBuffer.allocate(BYTES));
            ByteBuffer target = ByteBuffer.allocate(BYTES);
            assertThatThrownBy(() -> Transfers.readFully(channel, 10, target, "the file"))
                    .isInstanceOf(EOFException.class)
                    .hasMessage(
                            "Expected 10 more bytes, found the end of the file at offset " + BYTES);
            assertThat(target.limit()).isEqualTo(BYTES);
        }
    }

    @Test
    void aBufferIsAsLargeAsBeforeWhenItsChannelFails() throws IOException {
        FileChannel closed = open();
        closed.close();
        ByteBuffer buffer = ByteBuffer.allocate(BYTES);
        assertThatThrownBy(() -> Transfers.readFully(closed, 0, buffer, "file"))
                .isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> Transfers.writeFully(closed, 0, buffer))
                .isInstanceOf(ClosedChannelException.class);
        assertThat(buffer.remaining()).isEqualTo(BYTES);
    }
}
