package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.WouldBlockException;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.orc.FileFormatException;
import org.apache.orc.protobuf.InvalidProtocolBufferException;

/**
 * A translator of the exceptions that the ORC library throws for damaged bytes to one CORRUPT_DATA
 * error that names the file.
 */
public final class OrcErrors {
    private static final String LIBRARY = "org.apache.orc.";

    private OrcErrors() {}

    /** A call into the library. */
    @FunctionalInterface
    public interface Call<T> {
        T call() throws IOException;
    }

    /**
     * Runs {@code call}; failures of the library that damaged bytes cause become CORRUPT_DATA. When
     * the library opens a file or a stripe, it wraps all exceptions, also exceptions of the store.
     * Those of the store are thrown as they are, whatever their own cause is: a connection that
     * ends has an EOFException as well.
     */
    public static <T> T translate(String path, Call<T> call) throws IOException {
        try {
            return call.call();
        } catch (IOException | RuntimeException e) {
            Throwable first = e;
            while (isWrapper(first)) {
                first = requireNonNull(first.getCause());
            }
            for (Throwable at = first; at != null; at = at.getCause()) {
                if (at instanceof SteleException damage) {
                    throw damage;
                }
                if (at instanceof WouldBlockException mustWait) {
                    throw mustWait; // no damage: a thread that may wait repeats the call
                }
            }
            if (first instanceof IOException failed && !isDamage(failed)) {
                throw failed;
            }
            throw corrupt(path, e);
        }
    }

    /**
     * Whether the library threw an exception because of another one, or a wait for a read did. The
     * library's wrappers have no type of their own, so that the method that threw them decides.
     */
    private static boolean isWrapper(Throwable thrown) {
        boolean isOfWaiting =
                thrown instanceof ExecutionException
                        || thrown instanceof CompletionException
                        || thrown instanceof UncheckedIOException;
        return thrown.getCause() != null && (isOfWaiting || isOfTheLibrary(thrown));
    }

    private static boolean isOfTheLibrary(Throwable thrown) {
        StackTraceElement[] stack = thrown.getStackTrace();
        return stack.length > 0 && stack[0].getClassName().startsWith(LIBRARY);
    }

    private static boolean isDamage(IOException failed) {
        return failed instanceof FileFormatException
                || failed instanceof InvalidProtocolBufferException
                || failed instanceof EOFException
                || isOfTheLibrary(failed);
    }

    private static SteleException corrupt(String path, Exception e) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected a readable ORC file, found in %s: %s".formatted(path, e),
                e);
    }
}
