package io.stele.objectstore.s3;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * The conditional creation and replacement of S3 objects ({@code If-None-Match: *}, {@code
 * If-Match}) with retries, also after requests with an unknown outcome.
 *
 * <p>An object carries the UUID of its creation as metadata. After a refused or failed request,
 * this UUID shows whether an earlier attempt of the same creation succeeded. A retry sends the same
 * request with the same UUID, so at most one attempt takes effect.
 *
 * <p>Thread-safe.
 */
final class S3Creation {
    /** The metadata key, in every object created here, of the UUID of its creation. */
    static final String METADATA_KEY = "stele-creation";

    /** Pauses of 50, 200 and 800 ms between them; callers that need the outcome repeat the call. */
    private static final int ATTEMPTS = 4;

    private static final long FIRST_PAUSE_MILLIS = 50;

    private final S3Clients clients;
    private final S3Location location;
    private final RandomGenerator random;
    private final LongConsumer sleepMillis;

    S3Creation(
            S3Clients clients,
            S3Location location,
            RandomGenerator random,
            LongConsumer sleepMillis) {
        this.clients = requireNonNull(clients, "clients is null");
        this.location = requireNonNull(location, "location is null");
        this.random = requireNonNull(random, "random is null");
        this.sleepMillis = requireNonNull(sleepMillis, "sleepMillis is null");
    }

    /** A UUID for one creation, which its attempts put into the metadata. */
    String newId() {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    static Map<String, String> metadata(String id) {
        return Map.of(METADATA_KEY, id);
    }

    /**
     * Creates the object.
     *
     * @param id of this creation
     * @param request creates the object or fails
     * @return whether the object is ours; if not, another object exists
     * @throws IOException if it was refused, or if the outcome is unknown
     */
    boolean create(String path, String id, Function<S3Client, ?> request) throws IOException {
        String where = location + "/" + path;
        IOException unknown = null;
        for (int number = 1; number <= ATTEMPTS; number++) {
            if (number > 1) {
                pause(number - 1);
            }
            try {
                clients.once(request);
                return true;
            } catch (SdkException e) {
                switch (S3Failures.ofCreation(e)) {
                    case EXISTS -> {
                        return isOurs(path, where, id, e);
                    }
                    case UPLOAD_GONE -> {
                        // Completed by an earlier attempt, or aborted
                        return isOurs(path, where, id, e);
                    }
                    case REFUSED -> throw after(S3Failures.describe("create", where, e), unknown);
                    case CONFLICT, UNKNOWN ->
                            unknown = after(S3Failures.describe("create", where, e), unknown);
                }
            }
        }
        throw requireNonNull(unknown);
    }

    /**
     * Replaces the object that an {@code If-Match} names.
     *
     * @param id of this replacement
     * @param request replaces the object or fails
     * @return whether the object was replaced by ours; if not, it was another by then, or gone
     * @throws IOException if it was refused, or if the outcome is unknown: also if the object is
     *     another's now, when an earlier attempt of ours may have succeeded before that one
     */
    boolean swap(String path, String id, Function<S3Client, ?> request) throws IOException {
        String where = location + "/" + path;
        IOException unknown = null;
        for (int number = 1; number <= ATTEMPTS; number++) {
            if (number > 1) {
                pause(number - 1);
            }
            try {
                clients.once(request);
                return true;
            } catch (SdkException e) {
                boolean gone = S3Failures.isMissing(e);
                if (gone || S3Failures.ofCreation(e) == S3Failures.Creation.EXISTS) {
                    if (!gone && isOurs(path, where, id, e)) {
                        return true;
                    }
                    if (unknown != null) {
                        throw unknown;
                    }
                    return false;
                }
                IOException failure = after(S3Failures.describe("replace", where, e), unknown);
                if (S3Failures.ofCreation(e) == S3Failures.Creation.REFUSED) {
                    throw failure;
                }
                // A conflict (409) has changed nothing; only the request that it lost against may
                // change the object
                unknown =
                        S3Failures.ofCreation(e) == S3Failures.Creation.CONFLICT
                                ? unknown
                                : failure;
                if (number == ATTEMPTS) {
                    throw failure;
                }
            }
        }
        throw new IllegalStateException("Expected an end within the attempts for " + where);
    }

    private boolean isOurs(String path, String where, String id, SdkException refusal)
            throws IOException {
        try {
            Map<String, String> found =
                    clients.repeat(
                                    client ->
                                            client.headObject(
                                                    head ->
                                                            head.bucket(location.bucket())
                                                                    .key(location.key(path))))
                            .metadata();
            return id.equals(found.get(METADATA_KEY));
        } catch (SdkException e) {
            // Also if it is missing now: its creator can no longer be determined
            IOException failure =
                    new IOException(
                            "Cannot find out who created %s: %s".formatted(where, e.getMessage()),
                            e);
            failure.addSuppressed(refusal);
            throw failure;
        }
    }

    private void pause(int failures) {
        long millis = FIRST_PAUSE_MILLIS << 2 * (failures - 1);
        sleepMillis.accept(millis / 2 + random.nextLong(millis));
    }

    private static IOException after(IOException failure, @Nullable IOException earlier) {
        if (earlier != null) {
            failure.addSuppressed(earlier);
        }
        return failure;
    }
}
