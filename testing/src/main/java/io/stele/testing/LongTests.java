package io.stele.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Tests that a class inherits from a suite of others and that run with {@code bin/stele test
 * --long} only. Tests of our own are tagged {@code long} where they are written instead.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface LongTests {
    /** Names of methods. */
    String[] value();
}
