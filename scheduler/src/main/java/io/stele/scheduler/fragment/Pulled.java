package io.stele.scheduler.fragment;

import java.util.Optional;

/**
 * The reply to one pull from an {@link Edge} (Hologres, section 4.3: record batch and end of
 * stream).
 *
 * @param batch empty if this reply has none
 * @param end whether no batch follows
 */
public record Pulled<B>(Optional<B> batch, boolean end) {
    static <B> Pulled<B> batch(B batch) {
        return new Pulled<>(Optional.of(batch), false);
    }

    static <B> Pulled<B> theEnd() {
        return new Pulled<>(Optional.empty(), true);
    }
}
