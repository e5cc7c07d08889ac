package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions about what the engine refuses. */
public final class Refusals {
    private Refusals() {}

    /** The call fails with the code; what is returned can look at the message. */
    public static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
            ErrorCode code, ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code));
    }
}
