package io.stele.sidecar;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the methods that may write to the terminal and end the process; the build refuses both
 * elsewhere.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
@interface EndsProcess {}
