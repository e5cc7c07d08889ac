package io.stele.scheduler.fragment;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a query fragment, with which the pulls from its {@link Edge} fail. It names the
 * fragment that failed first, also after the failure passed through other fragments.
 */
public final class FragmentException extends RuntimeException {
    private final String fragment;

    private FragmentException(String fragment, Throwable cause) {
        super("Fragment %s failed: %s".formatted(fragment, cause), cause);
        this.fragment = requireNonNull(fragment, "fragment is null");
    }

    /** The failure of a fragment; a failure that already names a fragment is returned unchanged. */
    static FragmentException of(String fragment, Throwable failure) {
        @Nullable Throwable cause = failure;
        while (cause != null) {
            if (cause instanceof FragmentException first) {
                return first;
            }
            cause = cause.getCause();
        }
        return new FragmentException(fragment, failure);
    }

    /** The name of the fragment that failed. */
    public String fragment() {
        return fragment;
    }
}
