package io.stele.storage.orc;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import org.apache.orc.FileFormatException;
import org.apache.orc.protobuf.InvalidProtocolBufferException;

/**
 * What the ORC library throws when the bytes are not what a writer wrote, as one error that names
 * the file.
 */
final class OrcErrors {
    private OrcErrors() {}

    /** A call into the library. */
    @FunctionalInterface
    interface Call<T> {
        T call() throws IOException;
    }

    /** Runs {@code call}; whatever the library finds wrong with the bytes becomes CORRUPT_DATA. */
    static <T> T translate(String path, Call<T> call) throws IOException {
        try {
            return call.call();
        } catch (SteleException e) {
            throw e;
        } catch (FileFormatException | InvalidProtocolBufferException | RuntimeException e) {
            throw corrupt(path, e);
        } catch (IOException e) {
            // The library wraps what it met when it opens a file or a stripe.
            if (e.getCause() instanceof SteleException damage) {
                throw damage;
            }
            if (e.getCause() instanceof RuntimeException
                    || e.getCause() instanceof InvalidProtocolBufferException) {
                throw corrupt(path, e);
            }
            throw e;
        }
    }

    private static SteleException corrupt(String path, Exception e) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected a readable ORC file, found in %s: %s".formatted(path, e),
                e);
    }
}
