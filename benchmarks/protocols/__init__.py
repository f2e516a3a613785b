"""The statistics of the three papers, as functions on arrays. Libraries do them, the protocol is ours.

``detection``  ContrAR: accuracy, confusion, intervals, runs, McNemar.
``ratings``    RateAR: mean opinion scores, ICC(2,k). ``splits``: training and test samples.
``agreement``  RateAR: SRCC, PLCC, KRCC with intervals and adjusted p.
``adjustment`` RateAR: ratings before and after an adjustment.
``choices``    Psychophysics: forced choices, position bias, variability.
``scaling``    Psychophysics: z-scores of choices, attribute weights, separability.
``pictures``   Psychophysics: classical measures as judges.

Data that no statistic can be made of raises ``UnusableData``. Where a statistic is not defined for sound
data (constant ratings, three samples), its field is None and ``why`` says so: no field is ever NaN.
"""
