package io.stele.objectstore.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.objectstore.retrieval.BehindEndException;
import io.stele.objectstore.retrieval.TransientReadException;
import io.stele.objectstore.retrieval.http.ResponseHead;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * A translator of failed S3 reads to the exceptions of a range source, by which the retrieval layer
 * decides on a retry.
 */
final class S3Refusal {
    private static final Pattern CODE = Pattern.compile("<Code>([^<]{1,100})</Code>");
    private static final Pattern MESSAGE = Pattern.compile("<Message>([^<]{1,500})</Message>");

    /** The statuses that the SDK's standard retries repeat, too. */
    private static final Set<Integer> TRANSIENT_STATUSES = Set.of(408, 429, 500, 502, 503, 504);

    private static final Set<String> TRANSIENT_CODES =
            Set.of(
                    "RequestTimeout",
                    "RequestTimeoutException",
                    // The clock is corrected after this one
                    "RequestTimeTooSkewed",
                    "InternalError",
                    "SlowDown",
                    "Throttling",
                    "ThrottlingException",
                    "ThrottledException",
                    "RequestThrottled",
                    "RequestThrottledException",
                    "RequestLimitExceeded",
                    "BandwidthLimitExceeded",
                    "TooManyRequestsException",
                    "PriorRequestNotComplete");

    private S3Refusal() {}

    /** The failure for a response without the requested bytes. */
    static IOException explain(ResponseHead head, byte[] body, String location) {
        String text = new String(body, UTF_8);
        String code = first(CODE, text);
        String message = first(MESSAGE, text);
        return explain(
                (S3Exception)
                        S3Exception.builder()
                                .statusCode(head.status())
                                .requestId(head.find("x-amz-request-id").orElse(null))
                                .awsErrorDetails(
                                        AwsErrorDetails.builder()
                                                .serviceName("S3")
                                                .errorCode(code)
                                                .errorMessage(message)
                                                .build())
                                .message(
                                        "%s (status %d, code '%s')"
                                                .formatted(message, head.status(), code))
                                .build(),
                location);
    }

    /** The failure for an exception of the SDK. */
    static IOException explain(SdkException failure, String location) {
        IOException described = S3Failures.describe("read", location, failure);
        if (described instanceof NoSuchFileException) {
            return described;
        }
        if (S3Failures.isBehindEnd(failure)) {
            BehindEndException behind =
                    new BehindEndException(String.valueOf(described.getMessage()));
            behind.initCause(failure);
            return behind;
        }
        return isTransient(failure)
                ? new TransientReadException(String.valueOf(described.getMessage()), failure)
                : described;
    }

    private static boolean isTransient(SdkException failure) {
        if (failure instanceof S3Exception answer) {
            return TRANSIENT_STATUSES.contains(answer.statusCode())
                    || TRANSIENT_CODES.contains(S3Failures.code(answer));
        }
        return failure.retryable() || failure.getCause() instanceof IOException;
    }

    private static String first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }
}
