package io.stele.columnfile.orc;

import io.stele.objectstore.WouldBlockException;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.EOFException;
import java.io.IOException;
import org.apache.orc.FileFormatException;
import org.apache.orc.protobuf.InvalidProtocolBufferException;

/**
 * A translator of the exceptions that the ORC library throws for damaged bytes to one CORRUPT_DATA
 * error that names the file.
 */
public final class OrcErrors {
    private OrcErrors() {}

    /** A call into the library. */
    @FunctionalInterface
    public interface Call<T> {
        T call() throws IOException;
    }

    /**
     * Runs {@code call}; failures of the library that damaged bytes cause become CORRUPT_DATA. When
     * the library opens a file or a stripe, it wraps all exceptions, also exceptions of the store.
     */
    public static <T> T translate(String path, Call<T> call) throws IOException {
        try {
            return call.call();
        } catch (IOException | RuntimeException e) {
            Throwable root = e;
            while (root.getCause() != null && !(root instanceof SteleException)) {
                root = root.getCause();
            }
            if (root instanceof SteleException damage) {
                throw damage;
            }
            if (root instanceof WouldBlockException mustWait) {
                throw mustWait; // no damage: a thread that may wait repeats the call
            }
            if (root instanceof IOException failed && !isOfTheLibrary(failed)) {
                throw e instanceof IOException io ? io : failed;
            }
            throw corrupt(path, e);
        }
    }

    private static boolean isOfTheLibrary(IOException e) {
        return e instanceof FileFormatException
                || e instanceof InvalidProtocolBufferException
                || e instanceof EOFException;
    }

    private static SteleException corrupt(String path, Exception e) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected a readable ORC file, found in %s: %s".formatted(path, e),
                e);
    }
}
