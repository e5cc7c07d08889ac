package io.stele.objectstore.s3;

import static java.util.Objects.requireNonNull;

import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * An interceptor of the AWS SDK that corrects the signing clock by the time in refused responses.
 * The SDK's own correction depends on the error code, which a response to HEAD does not have, and
 * is separate for each client. Thread-safe.
 */
final class ClockCorrection implements ExecutionInterceptor {
    private final ServiceClock clock;

    ClockCorrection(ServiceClock clock) {
        this.clock = requireNonNull(clock, "clock is null");
    }

    @Override
    public void afterTransmission(
            Context.AfterTransmission context, ExecutionAttributes attributes) {
        SdkHttpResponse answer = context.httpResponse();
        if (answer.statusCode() == S3Failures.FORBIDDEN) {
            answer.firstMatchingHeader("Date").ifPresent(clock::correct);
        }
    }
}
