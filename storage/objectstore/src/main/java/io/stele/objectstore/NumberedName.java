package io.stele.objectstore;

import java.util.Locale;
import java.util.OptionalLong;

/** Names of 20 digits, which sort as their numbers do. */
public final class NumberedName {
    public static final int DIGITS = 20;

    /** No number comes after it, so no name has it. */
    private static final String HIGHEST = of(Long.MAX_VALUE);

    private NumberedName() {}

    /** The name of a number, which must be at least 0. */
    public static String of(long number) {
        return String.format(Locale.ROOT, "%020d", number);
    }

    /** The number of a name; empty if the name is another kind, or of no number below the last. */
    public static OptionalLong parse(String name) {
        return name.length() == DIGITS
                        && name.chars().allMatch(digit -> digit >= '0' && digit <= '9')
                        && name.compareTo(HIGHEST) < 0
                ? OptionalLong.of(Long.parseLong(name))
                : OptionalLong.empty();
    }
}
