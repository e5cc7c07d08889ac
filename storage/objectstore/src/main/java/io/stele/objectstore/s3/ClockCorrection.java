package io.stele.objectstore.s3;

import static java.util.Objects.requireNonNull;

import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * A reader of the time in refusals. The SDK reads it by the code of the error, which the answer to
 * a HEAD does not have, and for each client by itself. Thread-safe.
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
