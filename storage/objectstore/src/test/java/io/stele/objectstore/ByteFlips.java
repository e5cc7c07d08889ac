package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;

/** Damages every byte of a small file in turn and checks that reading it says so. */
public final class ByteFlips {
    private ByteFlips() {}

    /** Reads all of the file at a path. */
    @FunctionalInterface
    public interface ReadAll {
        void read(String path) throws Exception;
    }

    /** Flips single bits and whole bytes; the error must name file, offset, expected and found. */
    public static void everyFlipIsRefused(ObjectStore store, String path, ReadAll reader)
            throws Exception {
        byte[] good = store.readFully(path);
        reader.read(path);
        for (int i = 0; i < good.length; i++) {
            for (int mask : new int[] {1, 0x80, 0xff}) {
                byte[] bad = good.clone();
                bad[i] ^= (byte) mask;
                store.put(path, bad);
                Throwable thrown = catchThrowable(() -> reader.read(path));
                assertThat(thrown)
                        .as("byte %s of %s with mask %s", i, good.length, mask)
                        .isInstanceOfSatisfying(
                                SteleException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                        .hasMessageContaining(path)
                        .hasMessageContaining("Expected")
                        .hasMessageContaining("found")
                        .hasMessageContaining("at offset");
            }
        }
        store.put(path, good);
        reader.read(path);
    }
}
