package io.stele.objectstore.s3;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * A classifier and translator of failures of S3 requests to the exceptions of the object store
 * interface.
 */
final class S3Failures {
    /** The status of requests that were refused because of the caller's rights or its clock. */
    static final int FORBIDDEN = 403;

    /** The outcomes of a request that creates an object only if none exists. */
    enum Creation {
        /** An object exists: 412. */
        EXISTS,
        /** The request lost against a concurrent one, which may fail later: 409. */
        CONFLICT,
        /** The multipart upload whose parts were to be joined does not exist, or no longer. */
        UPLOAD_GONE,
        /** The creation has not happened, and a repetition would be refused, too. */
        REFUSED,
        /** The creation may have happened, or may still happen. */
        UNKNOWN
    }

    private S3Failures() {}

    static Creation ofCreation(SdkException failure) {
        if (!(failure instanceof S3Exception answer)) {
            return Creation.UNKNOWN;
        }
        int status = answer.statusCode();
        return switch (status) {
            case 412 -> Creation.EXISTS;
            case 409 -> Creation.CONFLICT;
            case 404 ->
                    code(answer).equals("NoSuchUpload") ? Creation.UPLOAD_GONE : Creation.REFUSED;
            // The service gave up on a slow or cut request, which has the same effect as a timeout
            case 408, 429 -> Creation.UNKNOWN;
            case 400 ->
                    switch (code(answer)) {
                        // The received bytes differed from the sent bytes: nothing was stored
                        case "RequestTimeout", "IncompleteBody", "BadDigest" -> Creation.UNKNOWN;
                        default -> Creation.REFUSED;
                    };
            default -> status >= 400 && status < 500 ? Creation.REFUSED : Creation.UNKNOWN;
        };
    }

    /** Whether a requested object is missing; a missing bucket is an error. */
    static boolean isMissing(SdkException failure) {
        // The response to a HEAD has no body and therefore no code
        return failure instanceof S3Exception answer
                && answer.statusCode() == 404
                && !code(answer).equals("NoSuchBucket");
    }

    /** Whether a requested range starts at or after the end of the object. */
    static boolean isBehindEnd(SdkException failure) {
        return failure instanceof S3Exception answer && answer.statusCode() == 416;
    }

    /** Converts a failure to the exceptions of object stores. */
    static IOException describe(String what, String location, SdkException failure) {
        if (isMissing(failure)) {
            NoSuchFileException missing = new NoSuchFileException(location);
            missing.initCause(failure);
            return missing;
        }
        String message =
                String.format(
                        Locale.ROOT, "Cannot %s %s: %s", what, location, failure.getMessage());
        if (failure instanceof AbortedException) {
            InterruptedIOException interrupted = new InterruptedIOException(message);
            interrupted.initCause(failure);
            return interrupted;
        }
        if (failure instanceof S3Exception answer && answer.statusCode() == 403) {
            AccessDeniedException denied = new AccessDeniedException(location, null, message);
            denied.initCause(failure);
            return denied;
        }
        return new IOException(message, failure);
    }

    /** The code of an error of S3; the empty text if it has none. */
    static String code(S3Exception answer) {
        return answer.awsErrorDetails() == null || answer.awsErrorDetails().errorCode() == null
                ? ""
                : answer.awsErrorDetails().errorCode();
    }
}
