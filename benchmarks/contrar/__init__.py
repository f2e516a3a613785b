"""ContrAR (section 5): does virtual content contradict itself? One frame or three, any method."""
