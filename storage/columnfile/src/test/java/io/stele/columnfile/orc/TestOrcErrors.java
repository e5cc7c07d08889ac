package io.stele.columnfile.orc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Failures of a store inside the ORC library, and damaged bytes. */
final class TestOrcErrors {
    private final InMemoryObjectStore store = new InMemoryObjectStore();
    private final TableSchema schema =
            ColumnFileFixture.table(List.of("bigint", "varchar", "double"), true);

    /** A store whose read of a number, and all later ones, find that the connection was closed. */
    private final class ClosingStore extends ForwardingObjectStore {
        private final int last;
        private int reads;

        ClosingStore(int last) {
            super(TestOrcErrors.this.store);
            this.last = last;
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            if (reads++ >= last) {
                throw new IOException(
                        "Cannot read " + path,
                        new IOException("no answer", new EOFException("connection closed")));
            }
            super.read(path, offset, buffer, bufferOffset, length);
        }
    }

    private TestingColumnFile write() throws IOException {
        return ColumnFileFixture.write(
                store,
                schema,
                ColumnFileFixture.randomRows(schema, 2_000, 7),
                ColumnFileOptions.DEFAULT);
    }

    private static int read(ObjectStore from, TestingColumnFile file, TableSchema schema)
            throws IOException {
        int count = 0;
        ColumnFileReader reader = ColumnFileReader.open(from, file, schema.columns());
        try (ColumnFileCursor cursor = reader.cursor()) {
            while (cursor.advance()) {
                count++;
            }
        }
        return count;
    }

    @Test
    void aConnectionThatEndsIsNoDamage() throws IOException {
        TestingColumnFile file = write();
        int failed = 0;
        for (int last = 0; ; last++) {
            try {
                assertThat(read(new ClosingStore(last), file, schema)).isEqualTo(2_000);
                break;
            } catch (IOException ofTheStore) {
                assertThat(ofTheStore).hasMessageStartingWith("Cannot read " + file.path());
                failed++;
            }
        }
        assertThat(failed).isGreaterThan(2); // at the open and inside of the library
    }

    @Test
    void damagedBytesAreDamage() throws IOException {
        TestingColumnFile file = write();
        byte[] bytes = store.readFully(file.path());
        byte[] cut = new byte[bytes.length];
        System.arraycopy(bytes, 0, cut, 0, bytes.length / 3);
        store.put(file.path(), cut);
        assertThatThrownBy(() -> read(store, file, schema))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        damage -> {
                            assertThat(damage.code()).isEqualTo(ErrorCode.CORRUPT_DATA);
                            assertThat(damage).hasMessageContaining(file.path());
                        });
    }
}
