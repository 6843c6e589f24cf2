;; The loops of simd.ts with SIMD; it holds what `npx wabt@1.0.39 wat2wasm` makes of this file, in base64.
;; All places are in bytes.
(module
  (memory (export "memory") 80)

  ;; Two lanes each: four sums stay apart, as in TypeScript.
  (func (export "dot") (param $first i32) (param $second i32) (param $length i32) (result f64)
    (local $end i32) (local $ab v128) (local $cd v128)
    (local.set $end (i32.add (local.get $first) (i32.shl (local.get $length) (i32.const 3))))
    (loop $next
      (local.set $ab
        (f64x2.add (local.get $ab)
          (f64x2.mul (v128.load (local.get $first)) (v128.load (local.get $second)))))
      (local.set $cd
        (f64x2.add (local.get $cd)
          (f64x2.mul (v128.load offset=16 (local.get $first)) (v128.load offset=16 (local.get $second)))))
      (local.set $second (i32.add (local.get $second) (i32.const 32)))
      (local.set $first (i32.add (local.get $first) (i32.const 32)))
      (br_if $next (i32.lt_u (local.get $first) (local.get $end))))
    (f64.add
      (f64.add (f64x2.extract_lane 0 (local.get $ab)) (f64x2.extract_lane 1 (local.get $ab)))
      (f64.add (f64x2.extract_lane 0 (local.get $cd)) (f64x2.extract_lane 1 (local.get $cd)))))

  ;; Three lanes are a pixel; the fourth is the next pixel's red, and overwritten by it.
  (func (export "mixPixels")
    (param $to i32) (param $count i32) (param $line i32) (param $firsts i32) (param $starts i32) (param $weights i32)
    (local $end i32) (local $from i32) (local $weight i32) (local $last i32) (local $sum v128)
    (local.set $end (i32.add (local.get $firsts) (i32.shl (local.get $count) (i32.const 2))))
    (loop $nextPixel
      (local.set $from (i32.add (local.get $line) (i32.mul (i32.load (local.get $firsts)) (i32.const 3))))
      (local.set $weight (i32.add (local.get $weights) (i32.shl (i32.load (local.get $starts)) (i32.const 2))))
      (local.set $last (i32.add (local.get $weights) (i32.shl (i32.load offset=4 (local.get $starts)) (i32.const 2))))
      (local.set $sum (v128.const i32x4 0x200000 0x200000 0x200000 0x200000))
      (loop $next
        (local.set $sum
          (i32x4.add (local.get $sum)
            (i32x4.mul
              (v128.load32_splat (local.get $weight))
              (i32x4.extend_low_i16x8_u (i16x8.extend_low_i8x16_u (v128.load32_zero (local.get $from)))))))
        (local.set $from (i32.add (local.get $from) (i32.const 3)))
        (local.set $weight (i32.add (local.get $weight) (i32.const 4)))
        (br_if $next (i32.lt_u (local.get $weight) (local.get $last))))
      (local.set $sum (i32x4.shr_s (local.get $sum) (i32.const 22)))
      (local.set $sum (i16x8.narrow_i32x4_s (local.get $sum) (local.get $sum)))
      (v128.store32_lane 0 (local.get $to) (i8x16.narrow_i16x8_u (local.get $sum) (local.get $sum)))
      (local.set $to (i32.add (local.get $to) (i32.const 3)))
      (local.set $firsts (i32.add (local.get $firsts) (i32.const 4)))
      (local.set $starts (i32.add (local.get $starts) (i32.const 4)))
      (br_if $nextPixel (i32.lt_u (local.get $firsts) (local.get $end)))))

  ;; 16 bytes at a time.
  (func (export "addWeighted") (param $sums i32) (param $bytes i32) (param $count i32) (param $weight i32)
    (local $end i32) (local $weights v128) (local $low v128) (local $high v128)
    (local.set $weights (i32x4.splat (local.get $weight)))
    (local.set $end (i32.add (local.get $bytes) (local.get $count)))
    (loop $next
      (local.set $high (v128.load (local.get $bytes)))
      (local.set $low (i16x8.extend_low_i8x16_u (local.get $high)))
      (local.set $high (i16x8.extend_high_i8x16_u (local.get $high)))
      (v128.store (local.get $sums)
        (i32x4.add (v128.load (local.get $sums))
          (i32x4.mul (local.get $weights) (i32x4.extend_low_i16x8_u (local.get $low)))))
      (v128.store offset=16 (local.get $sums)
        (i32x4.add (v128.load offset=16 (local.get $sums))
          (i32x4.mul (local.get $weights) (i32x4.extend_high_i16x8_u (local.get $low)))))
      (v128.store offset=32 (local.get $sums)
        (i32x4.add (v128.load offset=32 (local.get $sums))
          (i32x4.mul (local.get $weights) (i32x4.extend_low_i16x8_u (local.get $high)))))
      (v128.store offset=48 (local.get $sums)
        (i32x4.add (v128.load offset=48 (local.get $sums))
          (i32x4.mul (local.get $weights) (i32x4.extend_high_i16x8_u (local.get $high)))))
      (local.set $sums (i32.add (local.get $sums) (i32.const 64)))
      (local.set $bytes (i32.add (local.get $bytes) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $bytes) (local.get $end)))))

  (func (export "toBytes") (param $bytes i32) (param $sums i32) (param $count i32)
    (local $end i32) (local $pair v128)
    (local.set $end (i32.add (local.get $bytes) (local.get $count)))
    (loop $next
      (local.set $pair
        (i16x8.narrow_i32x4_s
          (i32x4.shr_s (v128.load (local.get $sums)) (i32.const 22))
          (i32x4.shr_s (v128.load offset=16 (local.get $sums)) (i32.const 22))))
      (v128.store64_lane 0 (local.get $bytes) (i8x16.narrow_i16x8_u (local.get $pair) (local.get $pair)))
      (local.set $sums (i32.add (local.get $sums) (i32.const 32)))
      (local.set $bytes (i32.add (local.get $bytes) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $bytes) (local.get $end)))))

  ;; From the first group of 16 floats with one of at least the threshold; a whole number of groups.
  (func (export "findAtLeast") (param $from i32) (param $end i32) (param $least f32) (result i32)
    (local $least4 v128)
    (local.set $least4 (f32x4.splat (local.get $least)))
    (loop $next
      (if (i32.ge_u (local.get $from) (local.get $end)) (then (return (local.get $from))))
      (if (v128.any_true
            (v128.or
              (v128.or
                (f32x4.ge (v128.load (local.get $from)) (local.get $least4))
                (f32x4.ge (v128.load offset=16 (local.get $from)) (local.get $least4)))
              (v128.or
                (f32x4.ge (v128.load offset=32 (local.get $from)) (local.get $least4))
                (f32x4.ge (v128.load offset=48 (local.get $from)) (local.get $least4)))))
        (then (return (local.get $from))))
      (local.set $from (i32.add (local.get $from) (i32.const 64)))
      (br $next))
    (local.get $from)))
