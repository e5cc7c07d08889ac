package io.stele.objectstore;

import java.util.Locale;
import java.util.OptionalLong;

/** A codec of object and file names of 20 decimal digits, which sort as their numbers do. Pure. */
public final class NumberedName {
    public static final int DIGITS = 20;

    /** No valid name: no number could follow it. */
    private static final String HIGHEST = of(Long.MAX_VALUE);

    private NumberedName() {}

    /** The name of a number, which must be at least 0. */
    public static String of(long number) {
        return String.format(Locale.ROOT, "%020d", number);
    }

    /**
     * The number of a name; empty if the name has another form, or its number is not below {@link
     * Long#MAX_VALUE}.
     */
    public static OptionalLong parse(String name) {
        return name.length() == DIGITS
                        && name.chars().allMatch(digit -> digit >= '0' && digit <= '9')
                        && name.compareTo(HIGHEST) < 0
                ? OptionalLong.of(Long.parseLong(name))
                : OptionalLong.empty();
    }
}
